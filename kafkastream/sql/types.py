"""Data types of SQL tables, with Flink's names, limits and defaults."""

from __future__ import annotations

import enum
from typing import final

import attrs

from kafkastream.model.common.stand_ins import MACHINERY, Refused
from kafkastream.sql.quoting import literal, quoted

__all__ = ["DataType", "Kind", "RowField"]

_MOST = 2**31 - 1
"""Length of STRING and BYTES."""


class Kind(enum.Enum):
    """Kinds of types (Flink's ``LogicalTypeRoot``), without length, precision, parts and nullability."""

    CHAR = "CHAR"
    VARCHAR = "VARCHAR"
    BOOLEAN = "BOOLEAN"
    BINARY = "BINARY"
    VARBINARY = "VARBINARY"
    DECIMAL = "DECIMAL"
    TINYINT = "TINYINT"
    SMALLINT = "SMALLINT"
    INT = "INT"
    BIGINT = "BIGINT"
    FLOAT = "FLOAT"
    DOUBLE = "DOUBLE"
    DATE = "DATE"
    TIME = "TIME"
    TIMESTAMP = "TIMESTAMP"
    TIMESTAMP_LTZ = "TIMESTAMP_LTZ"
    INTERVAL_YEAR_MONTH = "INTERVAL_YEAR_MONTH"
    INTERVAL_DAY_SECOND = "INTERVAL_DAY_SECOND"
    ARRAY = "ARRAY"
    MULTISET = "MULTISET"
    MAP = "MAP"
    ROW = "ROW"


_DEFAULT_LENGTH = {Kind.CHAR: 1, Kind.VARCHAR: 1, Kind.BINARY: 1, Kind.VARBINARY: 1}
_DEFAULT_PRECISION = {Kind.DECIMAL: 10, Kind.TIME: 0, Kind.TIMESTAMP: 6, Kind.TIMESTAMP_LTZ: 6}


@final
@attrs.frozen
class RowField:
    """A field of a ROW.

    Args:
        name: Name of the field.
        type: Type of the field.
        comment: ``COMMENT`` of the field; may be empty.
    """

    name: str
    type: DataType
    comment: str = ""

    from_sql_type = to_sql_type = need_conversion = Refused(MACHINERY, "is a part of PyFlink's own")

    @property
    def data_type(self) -> DataType:
        """Return the type, under PyFlink's name."""
        return self.type

    @property
    def description(self) -> str | None:
        """Return the comment, under PyFlink's name; None without one."""
        return self.comment or None


@final
@attrs.frozen
class DataType:
    """A data type; ``str`` returns its SQL.

    Args:
        kind: Kind of the type.
        is_nullable: Whether it allows NULL.
        size: Length of texts and bytes, or precision of numbers and times; None for types without.
        scale: Scale of a DECIMAL.
        parts: Element type of an ARRAY or MULTISET, or key and value types of a MAP.
        fields: Fields of a ROW.

    Example:
        >>> str(DataType.of(Kind.MAP, parts=(DataType.string().not_null(), DataType.bytes_())))
        'MAP<STRING NOT NULL, BYTES>'
        >>> str(DataType.of(Kind.DECIMAL))
        'DECIMAL(10, 0)'
    """

    kind: Kind
    is_nullable: bool = True
    size: int | None = None
    scale: int | None = None
    parts: tuple[DataType, ...] = ()
    fields: tuple[RowField, ...] = ()

    @staticmethod
    def of(
        kind: Kind,
        size: int | None = None,
        scale: int | None = None,
        parts: tuple[DataType, ...] = (),
        fields: tuple[RowField, ...] = (),
    ) -> DataType:
        """Return a nullable type, with Flink's default length, precision and scale.

        Args:
            kind: Kind of the type.
            size: Length, or precision; Flink's default for the kind if None.
            scale: Digits after the point of a DECIMAL; 0 if None.
            parts: Type of the elements of an ARRAY or MULTISET; types of the keys and values of a MAP.
            fields: Fields of a ROW.
        """
        if size is None:
            size = _DEFAULT_LENGTH.get(kind, _DEFAULT_PRECISION.get(kind))
        if kind is Kind.DECIMAL and scale is None:
            scale = 0
        return DataType(kind, True, size, scale, parts, fields)

    @staticmethod
    def string() -> DataType:
        """Return STRING, which is VARCHAR of the maximum length."""
        return DataType.of(Kind.VARCHAR, _MOST)

    @staticmethod
    def bytes_() -> DataType:
        """Return BYTES, which is VARBINARY of the maximum length."""
        return DataType.of(Kind.VARBINARY, _MOST)

    @property
    def inner_types(self) -> tuple[DataType, ...]:
        """The types inside of this one: of elements, of key and value, or of the fields of a ROW."""
        return self.parts or tuple(field.type for field in self.fields)

    def not_null(self) -> DataType:
        """Return the type as NOT NULL."""
        return attrs.evolve(self, is_nullable=False)

    notNull = not_null

    def nullable(self) -> DataType:
        """Return the type as nullable."""
        return attrs.evolve(self, is_nullable=True)

    def bridged_to(self, conversion_cls: str) -> DataType:
        """Accept a Java class, without effect, and return the type: values have one form in Python."""
        return self

    bridgedTo = bridged_to

    def type_name(self) -> str:
        """Return the name of the kind."""
        return self.kind.value

    typeName = type_name

    def field_names(self) -> list[str]:
        """Return the names of the fields of a ROW."""
        return [field.name for field in self.fields]

    fieldNames = field_names

    def field_types(self) -> list[DataType]:
        """Return the types of the fields of a ROW."""
        return [field.type for field in self.fields]

    fieldTypes = field_types

    @property
    def element_type(self) -> DataType:
        """Return the type of the elements of an ARRAY or MULTISET."""
        (element,) = self.parts
        return element

    @property
    def key_type(self) -> DataType:
        """Return the type of the keys of a MAP."""
        return self.parts[0]

    @property
    def value_type(self) -> DataType:
        """Return the type of the values of a MAP."""
        return self.parts[1]

    @property
    def length(self) -> int | None:
        """Return the length of a text or of bytes."""
        return self.size

    @property
    def precision(self) -> int | None:
        """Return the precision of a number or a time."""
        return self.size

    from_sql_type = to_sql_type = need_conversion = Refused(MACHINERY, "is a part of PyFlink's own")

    def __str__(self) -> str:
        return self._bare() if self.is_nullable else f"{self._bare()} NOT NULL"

    def _bare(self) -> str:
        match self.kind:
            case Kind.VARCHAR if self.size == _MOST:
                return "STRING"
            case Kind.VARBINARY if self.size == _MOST:
                return "BYTES"
            case Kind.DECIMAL:
                return f"DECIMAL({self.size}, {self.scale})"
            case Kind.ROW:
                return f"ROW<{', '.join(map(_field, self.fields))}>"
            case Kind.INTERVAL_YEAR_MONTH:
                return "INTERVAL YEAR TO MONTH"
            case Kind.INTERVAL_DAY_SECOND:
                return "INTERVAL DAY TO SECOND"
            case _ if self.parts:
                return f"{self.kind.value}<{', '.join(map(str, self.parts))}>"
            case _:
                return self.kind.value if self.size is None else f"{self.kind.value}({self.size})"


def _field(field: RowField) -> str:
    comment = f" {literal(field.comment)}" if field.comment else ""
    return f"{quoted(field.name)} {field.type}{comment}"
