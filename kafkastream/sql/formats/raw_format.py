"""The format ``raw``: the bytes of one value, for a table with one column."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import ClassVar, Final, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.formats.charsets import check_charset
from kafkastream.options.option import Option
from kafkastream.options.parsers import enum_member, text
from kafkastream.sql.formats.format import Format
from kafkastream.sql.settings import setting
from kafkastream.sql.types import DataType, Kind, RowField

__all__ = ["Endianness", "RawFormat"]


class Endianness(enum.Enum):
    """Byte order of numbers."""

    BIG = "big-endian"
    LITTLE = "little-endian"


CHARSET: Final = Option[str](key="charset", parse=text, default="UTF-8", doc="Charset of text, by one of Java's names.")
ENDIANNESS: Final = Option[Endianness](
    key="endianness",
    parse=enum_member(Endianness),
    default=Endianness.BIG,
    doc="Byte order of numbers: `big-endian` (highest byte first) or `little-endian`.",
)
_KINDS: Final = frozenset(
    {
        Kind.CHAR,
        Kind.VARCHAR,
        Kind.BINARY,
        Kind.VARBINARY,
        Kind.BOOLEAN,
        Kind.TINYINT,
        Kind.SMALLINT,
        Kind.INT,
        Kind.BIGINT,
        Kind.FLOAT,
        Kind.DOUBLE,
    }
)


@final
@attrs.frozen(kw_only=True)
class RawFormat(Format):
    """The bytes of one value: a text, a number, or bytes.

    Raises:
        DefinitionError: There is no such charset.
    """

    identifier: ClassVar[str] = "raw"
    engine_module: ClassVar[str] = "kafkastream.spark.sql.formats.raw_bytes"
    charset: str = setting(CHARSET)
    endianness: Endianness = setting(ENDIANNESS)

    def __attrs_post_init__(self) -> None:
        option = f"{self.identifier}.{CHARSET.key}"
        try:
            check_charset(self.charset, option)
        except DefinitionError as error:
            what = f"Unsupported '{option}' name: {self.charset}."
            raise DefinitionError(what, where=error.where, now=error.now) from None

    def problem_with(self, fields: Sequence[RowField]) -> str | None:
        """Return the error text for these fields; None for exactly one, of a supported type."""
        if len(fields) != 1:
            columns = ", ".join(map(_column, fields))
            return (
                "The 'raw' format only supports single physical column. "
                f"However the defined schema contains multiple physical columns: [{columns}]"
            )
        type_ = fields[0].type
        return None if type_.kind in _KINDS else f"The 'raw' format doesn't supports '{type_}' as column type."


def _column(field: RowField) -> str:
    """Return the SQL text of a field."""
    return str(DataType.of(Kind.ROW, fields=(field,))).removeprefix("ROW<").removesuffix(">")
