"""Base classes of schemas, which users may implement."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar, final

import attrs

from kafkastream.model.common.stand_ins import Refused
from kafkastream.model.common.types import TypeInformation

__all__ = ["DeserializationSchema", "InitializationContext", "SerializationSchema", "non_null"]

OUT = TypeVar("OUT")
IN_contra = TypeVar("IN_contra", contravariant=True)


@final
@attrs.frozen
class InitializationContext:
    """Context of a schema when it is opened.

    Differs from Flink: it holds nothing yet; Flink's has a metric group and a class loader.
    """


class DeserializationSchema(ABC, Generic[OUT]):
    """Makes an element of the bytes of a record's value.

    Differs from PyFlink: you may write one in Python, by implementing ``deserialize``.
    """

    _j_deserialization_schema = Refused()

    def open(self, context: InitializationContext) -> None:
        """Prepare, once per Python worker and subtask, before the first record: open connections, load schemas.

        Args:
            context: Context of the schema, which holds nothing yet.
        """

    @abstractmethod
    def deserialize(self, message: bytes) -> OUT | None:
        """Return the element, or None to drop the record; an exception fails the job with the record's position.

        Args:
            message: Bytes of a record's value; None for a tombstone, as in Flink.
        """

    def get_produced_type(self) -> TypeInformation[OUT] | None:
        """Return the type of the elements; None when it is not known."""
        return None


def non_null(message: bytes | None) -> bytes:
    """Return a record's value, for schemas that cannot read a null.

    Raises:
        ValueError: The value is null.
    """
    if message is None:
        raise ValueError("the record's value is null (a tombstone)")
    return message


class SerializationSchema(ABC, Generic[IN_contra]):
    """Makes the bytes of a record's key or value of an element.

    Differs from PyFlink: you may write one in Python, by implementing ``serialize``.
    """

    _j_serialization_schema = Refused()

    def open(self, context: InitializationContext) -> None:
        """Prepare, once per Python worker and subtask, before the first element: open connections, register schemas.

        Args:
            context: Context of the schema, which holds nothing yet.
        """

    @abstractmethod
    def serialize(self, element: IN_contra) -> bytes | None:
        """Return the bytes; None writes a null (a tombstone, as a value).

        Args:
            element: Element of the stream.
        """
