"""Text and bytes as they are."""

from __future__ import annotations

from typing import Any, final

import attrs

from kafkastream.model.common.types import TypeInformation, Types
from kafkastream.model.formats.charsets import check_charset, decoded, encoded, is_utf8
from kafkastream.model.formats.schema import DeserializationSchema, SerializationSchema, non_null

__all__ = ["ByteArraySchema", "SimpleStringSchema"]


def _known_charset(_: object, __: object, charset: str) -> None:
    check_charset(charset, "SimpleStringSchema")


@final
@attrs.frozen
class SimpleStringSchema(DeserializationSchema[str], SerializationSchema[str]):
    """Text, one string per record.

    Differs from Flink: bytes that are not valid in ``charset``, and characters that it lacks, fail the job, where Java
    puts U+FFFD or ``?`` in their place silently. A null value (tombstone) fails as in Flink.

    Args:
        charset: Name of the encoding.

    Raises:
        DefinitionError: The charset is not known.

    Example:
        >>> SimpleStringSchema().deserialize(b"hello")
        'hello'
    """

    charset: str = attrs.field(default="UTF-8", validator=_known_charset)

    def deserialize(self, message: bytes | None) -> str:
        """Return the text of ``message``."""
        return decoded(non_null(message), self.charset)

    def serialize(self, element: str) -> bytes:
        """Return the bytes of ``element``."""
        return encoded(element, self.charset)

    def get_produced_type(self) -> TypeInformation[str]:
        """Return ``Types.STRING()``."""
        return Types.STRING()

    getProducedType = get_produced_type

    @property
    def is_utf8(self) -> bool:
        """True if the text is UTF-8, which Arrow and Spark read natively."""
        return is_utf8(self.charset)


@final
@attrs.frozen
class ByteArraySchema(DeserializationSchema[bytes], SerializationSchema[bytes]):
    """Bytes as they are, in both directions.

    A null value (tombstone) is dropped, as in Flink.
    """

    def deserialize(self, message: bytes | None) -> bytes | None:
        """Return ``message`` itself."""
        return message

    def serialize(self, element: bytes) -> bytes:
        """Return ``element`` itself."""
        return element

    def get_produced_type(self) -> TypeInformation[Any]:
        """Return the type of byte arrays."""
        return Types.PRIMITIVE_ARRAY(Types.BYTE())

    getProducedType = get_produced_type
