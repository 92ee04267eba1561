"""Options of the connector ``datagen``, and those of each type of column."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar, final

import attrs

from kafkastream.options.option import Option
from kafkastream.options.parsers import boolean, enum_member, floating, integer, millis_of_duration, positive
from kafkastream.sql.type_families import COLLECTIONS, STAMPS
from kafkastream.sql.types import DataType, Kind

__all__ = ["DATAGEN_OPTIONS", "NUMBER_OF_ROWS", "ROWS_PER_SECOND", "FieldOptions", "GeneratorKind"]

T = TypeVar("T")

_INTEGERS: Final[Mapping[Kind, tuple[int, int]]] = {
    Kind.TINYINT: (-(2**7), 2**7 - 1),
    Kind.SMALLINT: (-(2**15), 2**15 - 1),
    Kind.INT: (-(2**31), 2**31 - 1),
    Kind.BIGINT: (-(2**63), 2**63 - 1),
    Kind.INTERVAL_YEAR_MONTH: (0, 120_000),
    Kind.INTERVAL_DAY_SECOND: (-(2**63), 2**63 - 1),
}


class GeneratorKind(enum.Enum):
    """Generator of a column's values."""

    RANDOM = "random"
    SEQUENCE = "sequence"


ROWS_PER_SECOND: Final = Option[int](
    key="rows-per-second",
    parse=positive,
    default=10_000,
    doc="Maximum number of rows per second.",
)
NUMBER_OF_ROWS: Final = Option[int | None](
    key="number-of-rows",
    parse=positive,
    default=None,
    doc="Number of rows; without it, and without a sequence, the table is unbounded.",
)


def whole_between(least: int, most: int) -> Callable[[str], int]:
    """Return a parser of whole numbers in a range."""

    def parse(value: str) -> int:
        if not least <= (number := integer(value)) <= most:
            raise ValueError(f"expected a whole number from {least} to {most}")
        return number

    return parse


def rate(value: str) -> float:
    """Parse a fraction from 0 to 1."""
    if not 0 <= (number := floating(value)) <= 1:
        raise ValueError("expected a number from 0 to 1")
    return number


@final
@attrs.frozen
class FieldOptions:
    """Options of a column, or of a part of it.

    Args:
        name: Name of the column, with ``.element``, ``.key``, ``.value`` or ``.<field>`` for its parts.
        type: Its type.
    """

    name: str
    type: DataType

    @property
    def kind(self) -> Option[GeneratorKind]:
        """Origin of the values."""
        doc = "Generator of the values: `random`, or `sequence`, which is bounded."
        return self._option("kind", enum_member(GeneratorKind), GeneratorKind.RANDOM, doc)

    @property
    def min(self) -> Option[float | None]:
        """Minimum of random numbers."""
        doc = "Minimum of numbers; by default, the type's."
        return self._option("min", self._number, None, doc)

    @property
    def max(self) -> Option[float | None]:
        """Maximum of random numbers."""
        doc = "Maximum of numbers; by default, the type's."
        return self._option("max", self._number, None, doc)

    @property
    def max_past(self) -> Option[int]:
        """Greatest age of random timestamps, in milliseconds."""
        return self._option("max-past", millis_of_duration, 0, "Maximum age of timestamps.")

    @property
    def length(self) -> Option[int | None]:
        """Length of random texts, bytes and collections."""
        doc = (
            "Length of strings and bytes, and number of elements of arrays and maps; by default, the type's "
            "length, 100 for STRING and BYTES, and 3 elements."
        )
        return self._option("length", positive, None, doc)

    @property
    def var_len(self) -> Option[bool]:
        """Variation of the lengths of random strings and bytes."""
        return self._option(
            "var-len", boolean, False, "Whether the length of strings and bytes varies, up to `length`."
        )

    @property
    def start(self) -> Option[int | None]:
        """First value of a sequence."""
        return self._option("start", self._whole, None, "First number of a sequence.")

    @property
    def end(self) -> Option[int | None]:
        """Last value of a sequence."""
        return self._option("end", self._whole, None, "Last number of a sequence, with which the table ends.")

    @property
    def null_rate(self) -> Option[float]:
        """Fraction of random values that are NULL."""
        return self._option("null-rate", rate, 0.0, "Fraction of values that are NULL, from 0 to 1.")

    @property
    def of_random(self) -> tuple[Option[Any], ...]:
        """Return the options of random values of the type."""
        return tuple(getattr(self, name) for name in _RANDOM.get(self.type.kind, ()))

    @property
    def of_sequence(self) -> tuple[Option[Any], ...]:
        """Return the required options of a sequence."""
        return self.start, self.end

    @property
    def parts(self) -> tuple[FieldOptions, ...]:
        """Return the options of the parts of the type."""
        names = _PARTS.get(self.type.kind, ())
        parts = tuple(zip(names, self.type.parts, strict=True)) or tuple((f.name, f.type) for f in self.type.fields)
        return tuple(FieldOptions(f"{self.name}.{name}", type_) for name, type_ in parts)

    def _number(self, value: str) -> float:
        limits = _INTEGERS.get(self.type.kind)
        return floating(value) if limits is None else whole_between(*limits)(value)

    def _whole(self, value: str) -> int:
        return whole_between(*_INTEGERS.get(self.type.kind, _INTEGERS[Kind.BIGINT]))(value)

    def _option(self, end: str, parse: Callable[[str], T], default: T, doc: str) -> Option[T]:
        return Option(key=f"fields.{self.name}.{end}", parse=parse, default=default, doc=doc)


_NUMBER: Final = ("min", "max", "null_rate")
_STAMP: Final = ("max_past", "null_rate")
_COLLECTION: Final = ("length", "null_rate")
_RANDOM: Final[Mapping[Kind, tuple[str, ...]]] = {
    Kind.BOOLEAN: ("null_rate",),
    Kind.CHAR: ("null_rate",),
    Kind.VARCHAR: ("length", "var_len", "null_rate"),
    Kind.VARBINARY: ("length", "var_len"),
    **dict.fromkeys((*_INTEGERS, Kind.FLOAT, Kind.DOUBLE, Kind.DECIMAL), _NUMBER),
    **dict.fromkeys(STAMPS, _STAMP),
    **dict.fromkeys(COLLECTIONS, _COLLECTION),
    Kind.ROW: ("null_rate",),
}
_PARTS: Final[Mapping[Kind, tuple[str, ...]]] = {
    Kind.ARRAY: ("element",),
    Kind.MULTISET: ("element",),
    Kind.MAP: ("key", "value"),
}
_ANY: Final = FieldOptions("#", DataType.string())
DATAGEN_OPTIONS: Final = (
    ROWS_PER_SECOND,
    NUMBER_OF_ROWS,
    _ANY.kind,
    _ANY.min,
    _ANY.max,
    _ANY.max_past,
    _ANY.length,
    _ANY.var_len,
    _ANY.start,
    _ANY.end,
    _ANY.null_rate,
)
"""All options, with ``#`` for a column's name."""
