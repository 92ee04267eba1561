"""Type rules for several values, as in CASE and arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kafkastream.sql.plan.expression import Call, Cast, CastMode, is_null
from kafkastream.sql.plan.functions.built_in import Arguments, CallError
from kafkastream.sql.plan.spark_type_names import decimal_of
from kafkastream.sql.type_families import APPROXIMATE, BYTES, MAPS, NUMERIC, STAMPS, TEXT, TIMES, WHOLE
from kafkastream.sql.types import DataType, Kind, RowField

__all__ = [
    "as_decimals",
    "check_ordered",
    "comparable",
    "comparable_in_order",
    "comparable_with_bounds",
    "comparable_with_list",
    "decimal_product",
    "decimal_quotient",
    "decimal_rest",
    "decimal_sum",
    "most_digits",
    "wider_numbers",
    "widest",
    "widest_decimal",
    "with_common_type",
]

_ORDERED: Final = (Kind.TINYINT, Kind.SMALLINT, Kind.INT, Kind.BIGINT)
_DIGITS: Final = 38
_LEAST_SCALE: Final = 6
"""Minimum scale that a DECIMAL of 38 digits keeps."""


_FAMILIES: Final = (TEXT, NUMERIC, BYTES, STAMPS)
"""Groups of kinds that are comparable with each other."""
_IN_FAMILIES: Final = frozenset().union(*_FAMILIES)


def as_decimals(arguments: Arguments) -> Arguments:
    """Cast integers besides a DECIMAL with Flink's precision; Spark's is lower for literals, another one for BIGINT."""
    if Kind.DECIMAL not in {one.type.kind for one in arguments}:
        return arguments
    return [Cast(one, _decimal(one.type)) if one.type.kind in WHOLE else one for one in arguments]


def _decimal(type_: DataType) -> DataType:
    return _nullable_like(decimal_of(type_), [type_])


def _kinds(arguments: Arguments) -> set[Kind]:
    return {one.type.kind for one in arguments if not is_null(one)}


def with_common_type(arguments: Arguments) -> Arguments:
    """Cast values to their common type, as branches of CASE.

    Raises:
        CallError: Some are texts and some are not, which Spark would cast.
    """
    kinds = _kinds(arguments)
    if kinds & TEXT and kinds - TEXT:
        shown = ", ".join(dict.fromkeys(str(one.type) for one in arguments))
        raise CallError(f"These have no type in common: {shown}.", "CAST them to one type.")
    return _fitting(as_decimals(arguments))


def _fitting(arguments: Arguments) -> Arguments:
    """Cast numbers of more than 38 digits in all, for which Spark has another common type."""
    known = [one.type for one in arguments if not is_null(one)]
    kinds = {one.kind for one in known}
    if Kind.FLOAT in kinds and kinds & WHOLE and kinds <= WHOLE | {Kind.FLOAT}:
        return [Cast(one, _nullable_like(DataType.of(Kind.FLOAT), [one.type])) for one in arguments]
    if kinds != {Kind.DECIMAL} or sum(most_digits(known)) <= _DIGITS:
        return arguments
    type_ = widest_decimal(known)
    return [Cast(one, _nullable_like(type_, [one.type]), CastMode.TRY_CAST) for one in arguments]


def comparable(arguments: Arguments) -> Arguments:
    """Return comparable values; texts compared with times become times, as in Flink.

    Raises:
        CallError: Texts are compared with other types.
    """
    kinds = _kinds(arguments)
    times = [one.type for one in arguments if one.type.kind in TIMES]
    check_ordered(arguments)
    if sum(1 for family in _FAMILIES if kinds & family) + len(kinds - _IN_FAMILIES) < 2:
        if kinds and kinds <= WHOLE | {Kind.DECIMAL}:
            return _exact(arguments)
        return _alike(arguments, times) if kinds == {Kind.TIME} else arguments
    if not kinds <= TEXT | TIMES or kinds & TEXT == set():
        shown = " and ".join(sorted({str(one.type) for one in arguments}))
        raise CallError(f"implicit type conversion between {shown} is not supported on comparing", "CAST one of them.")
    return [Cast(one, times[0]) if one.type.kind in TEXT else one for one in arguments]


def comparable_in_order(arguments: Arguments) -> Arguments:
    """Return values that ``<`` and the like compare: texts next to numbers become BIGINT or DOUBLE.

    Same as in Flink, which refuses ``=`` for the same values:
    https://github.com/apache/calcite/blob/calcite-1.36.0/core/src/main/java/org/apache/calcite/sql/validate/implicit/TypeCoercionImpl.java

    Raises:
        CallError: Texts are compared with other types.
    """
    number = _number_of_texts(_kinds(arguments))
    return comparable(arguments) if number is None else _cast(arguments, number)


def comparable_with_bounds(arguments: Arguments) -> Arguments:
    """Return the arguments of BETWEEN, each bound of which is compared with the value.

    Raises:
        CallError: Texts are compared with other types, or a text with bounds of both.
    """
    value, *bounds = arguments
    is_mixed = value.type.kind in TEXT and bool(_kinds(bounds) & TEXT)
    return comparable(arguments) if is_mixed else comparable_in_order(arguments)


def comparable_with_list(arguments: Arguments) -> Arguments:
    """Return the arguments of IN: numbers in a list for texts become texts, and texts in a list for numbers numbers.

    Raises:
        CallError: Texts are compared with other types.
    """
    value, *others = arguments
    kinds = _kinds(others)
    if value.type.kind in TEXT and kinds and kinds <= WHOLE:
        return [value, *_cast(others, DataType.string())]
    return comparable_in_order(arguments) if kinds <= TEXT else comparable(arguments)


def _number_of_texts(kinds: set[Kind]) -> DataType | None:
    """Return the type as which texts are compared with numbers; None if there are not both, or Flink's is not known."""
    numbers = kinds - TEXT
    if numbers == kinds or not numbers:
        return None
    return (
        DataType.of(Kind.BIGINT) if numbers <= WHOLE else DataType.of(Kind.DOUBLE) if numbers == {Kind.DOUBLE} else None
    )


def _cast(arguments: Arguments, type_: DataType) -> Arguments:
    return [Cast(one, _nullable_like(type_, [one.type])) for one in arguments]


def _exact(arguments: Arguments) -> Arguments:
    """Return numbers as pairs of the whole part and the rest, where no DECIMAL has the digits of all of them."""
    known = [one.type for one in arguments if not is_null(one)]
    if Kind.DECIMAL not in {one.kind for one in known} or sum(most_digits(known)) <= _DIGITS:
        return arguments
    return [one if is_null(one) else Call("$PARTS", (one,), one.type) for one in arguments]


def _alike(arguments: Arguments, types: Sequence[DataType]) -> Arguments:
    """Cast values of TIME to the longest precision among them; Spark compares no others."""
    type_ = max(types, key=lambda one: one.size or 0)
    return [one if one.type.size == type_.size else Cast(one, _nullable_like(type_, [one.type])) for one in arguments]


def check_ordered(arguments: Arguments) -> None:
    """Refuse types that Spark cannot order.

    Raises:
        CallError: An argument is a MAP or a MULTISET.
    """
    if _kinds(arguments) & MAPS:
        raise CallError.unsupported("Maps and multisets cannot be compared.", "Compare their elements.")


def _nullable_like(type_: DataType, values: Sequence[DataType]) -> DataType:
    return type_.nullable() if any(one.is_nullable for one in values) else type_.not_null()


def widest(values: Arguments) -> DataType:
    """Return the common type of values, nullable if one of them is.

    Raises:
        CallError: They have no common type.
    """
    known = [one.type for one in values if not is_null(one)] or [one.type for one in values]
    found = _widest(known)
    if found is None:
        shown = ", ".join(dict.fromkeys(str(type_) for type_ in known))
        raise CallError(f"These have no type in common: {shown}.", "CAST them to one type.")
    return _nullable_like(found, [one.type for one in values])


def _widest(types: Sequence[DataType]) -> DataType | None:
    kinds = {one.kind for one in types}
    if kinds <= TEXT:
        return DataType.string()
    if kinds <= BYTES:
        return DataType.bytes_()
    if kinds <= NUMERIC:
        return wider_numbers(types)
    if kinds <= STAMPS:
        size = max(one.size or 0 for one in types)
        return DataType.of(Kind.TIMESTAMP_LTZ if Kind.TIMESTAMP_LTZ in kinds else Kind.TIMESTAMP, size)
    if len({one.nullable() for one in types}) == 1:
        return types[0]
    return _widest_parts(types) if len(kinds) == 1 else None


def _widest_parts(types: Sequence[DataType]) -> DataType | None:
    """Return the common type of arrays, maps or rows, part by part; field names are the first row's."""
    first = types[0]
    inner = [one.inner_types for one in types]
    if len({len(one) for one in inner}) != 1 or not inner[0]:
        return None
    found = [_widest(column) for column in zip(*inner, strict=True)]
    parts = [
        None if one is None else _nullable_like(one, column)
        for one, column in zip(found, zip(*inner, strict=True), strict=True)
    ]
    whole = tuple(one for one in parts if one is not None)
    if len(whole) != len(parts):
        return None
    if first.fields:
        fields = tuple(RowField(field.name, type_) for field, type_ in zip(first.fields, whole, strict=True))
        return DataType.of(first.kind, fields=fields)
    return DataType.of(first.kind, parts=whole)


def wider_numbers(types: Sequence[DataType]) -> DataType:
    """Return the common type of numbers."""
    kinds = {one.kind for one in types}
    if kinds <= WHOLE:
        return DataType.of(max(kinds, key=_ORDERED.index))
    if kinds & APPROXIMATE:
        return DataType.of(Kind.FLOAT if kinds <= WHOLE | {Kind.FLOAT} else Kind.DOUBLE)
    return widest_decimal(types)


def widest_decimal(types: Sequence[DataType]) -> DataType:
    """Return the common DECIMAL of exact numbers, which gives up digits after the point before those in front of it."""
    whole, scale = most_digits(types)
    scale = min(scale, _DIGITS - whole)
    return DataType.of(Kind.DECIMAL, whole + scale, scale)


def most_digits(types: Sequence[DataType]) -> tuple[int, int]:
    """Return the maximum digits of exact numbers before and after the point."""
    decimals = [decimal_of(one) for one in types]
    return max(map(_whole, decimals)), max(one.scale or 0 for one in decimals)


def _whole(type_: DataType) -> int:
    return (type_.size or 0) - (type_.scale or 0)


def _adjusted(precision: int, scale: int) -> DataType:
    """Return a DECIMAL of at most 38 digits: scale is given up first, down to six."""
    if precision > _DIGITS:
        precision, scale = _DIGITS, max(_DIGITS - (precision - scale), min(scale, _LEAST_SCALE))
    return DataType.of(Kind.DECIMAL, precision, scale)


def decimal_sum(one: DataType, other: DataType) -> DataType:
    """Return the DECIMAL of a sum or a difference."""
    scale = max(one.scale or 0, other.scale or 0)
    return _adjusted(max(_whole(one), _whole(other)) + scale + 1, scale)


def decimal_product(one: DataType, other: DataType) -> DataType:
    """Return the DECIMAL of a product."""
    return _adjusted((one.size or 0) + (other.size or 0) + 1, (one.scale or 0) + (other.scale or 0))


def decimal_quotient(one: DataType, other: DataType) -> DataType:
    """Return the DECIMAL of a quotient."""
    scale = max(_LEAST_SCALE, (one.scale or 0) + (other.size or 0) + 1)
    return _adjusted(_whole(one) + (other.scale or 0) + scale, scale)


def decimal_rest(one: DataType, other: DataType) -> DataType:
    """Return the type of a remainder: that of the divisor for whole numbers, otherwise a DECIMAL."""
    if not decimal_of(one).scale and not decimal_of(other).scale:
        return other
    scale = max(one.scale or 0, other.scale or 0)
    return _adjusted(min(_whole(one), _whole(other)) + scale, scale)
