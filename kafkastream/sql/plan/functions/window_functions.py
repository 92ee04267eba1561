"""Internal functions: bounds of windows, elements of UNNEST, and failures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kafkastream.sql.plan.expression import Call, Interval, Literal, TypedExpression
from kafkastream.sql.plan.functions.built_in import BuiltInFunction, forms, like, never_null
from kafkastream.sql.plan.functions.written_values import interval_text
from kafkastream.sql.plan.spark_type_names import quoted_text
from kafkastream.sql.quoting import quoted
from kafkastream.sql.types import DataType, Kind, RowField

__all__ = ["FAILURE", "OF_PAIRS", "WINDOWS", "WINDOW_COLUMNS", "elements", "failure", "unless_null"]

FAILURE: Final = "$FAILURE"
"""Function that fails the query with the text of its argument."""
OF_PAIRS: Final = "$OF_PAIRS"
"""Function that returns a condition for the pairs among the rows of ``Pairs``, and TRUE for the others."""
WINDOW_COLUMNS: Final = ("window_start", "window_end", "window_time")
"""Names of a window's columns."""
_MILLI: Final = interval_text(Interval(1))
_MICRO: Final = "INTERVAL '0 00:00:00.000001' DAY TO SECOND"
_EPOCH: Final = "timestamp_ntz'1970-01-01 00:00:00'"
_BEGIN: Final = f"({{0}} - {_MICRO} * pmod(timestampdiff(MICROSECOND, {_EPOCH}, {{0}}) - {{2}}, {{1}}))"
"""Spark SQL of the begin of a time's window, by size and offset; rounded down, also before 1970."""
_STAMP: Final = DataType.of(Kind.TIMESTAMP, 3)


def failure(words: str) -> Call:
    """Return a call that fails the query."""
    return Call(FAILURE, (Literal.text(words),), DataType.string())


def unless_null(value: TypedExpression, words: str, result: TypedExpression) -> Call:
    """Return the result, or fail the query if a value is NULL."""
    return Call("$UNLESS_NULL", (value, failure(words), result), result.type)


def _last(call: Call, texts: Sequence[str]) -> str:
    return _last_instant(texts[0]) if call.type.kind is Kind.TIMESTAMP_LTZ else f"({texts[0]} - {_MILLI})"


def _last_instant(end: str) -> str:
    return f"cast({end} - {_MILLI} as timestamp)"


def _numbers(call: Call) -> list[int]:
    return [int(one.value) for one in call.arguments[1:] if isinstance(one, Literal) and one.value is not None]


def _sliced(call: Call, texts: Sequence[str]) -> str:
    """Return the windows of HOP or CUMULATE, by clock, step, size and offset."""
    (clock, *_), (step, size, offset) = texts, _numbers(call)
    cumulates = call.function == "$CUMULATE"
    first = _BEGIN.format(clock, f"{(size if cumulates else step) * 1000}L", f"{offset * 1000}L")
    by_step, by_size = interval_text(Interval(step)), interval_text(Interval(size))
    if cumulates:
        bounds = f"'s', {first}, 'e', {first} + {by_step} * k"
        starts = f"transform(sequence(1, {size // step}), k -> named_struct({bounds}))"
    else:
        begin = f"{first} - {by_step} * k"
        bounds = f"'s', {begin}, 'e', {begin} + {by_size}"
        starts = f"transform(sequence(0, {-(-size // step) - 1}), k -> named_struct({bounds}))"
    is_local = call.type.parts[0].fields[2].type.kind is Kind.TIMESTAMP_LTZ
    last = _last_instant("w.e") if is_local else f"w.e - {_MILLI}"
    ends = ", ".join(f"'{name}', {end}" for name, end in zip(WINDOW_COLUMNS, ("w.s", "w.e", last), strict=True))
    return f"transform(filter({starts}, w -> w.e > {clock}), w -> named_struct({ends}))"


def elements(type_: DataType) -> tuple[RowField, ...]:
    """Return the columns of UNNEST for a collection type; none for other types."""
    match type_.kind:
        case Kind.ARRAY if type_.parts[0].kind is Kind.ROW:
            return type_.parts[0].fields
        case Kind.ARRAY | Kind.MULTISET:
            return (RowField("EXPR$0", type_.parts[0]),)
        case Kind.MAP:
            return RowField("KEY", type_.parts[0]), RowField("VALUE", type_.parts[1])
        case _:
            return ()


def _unnested(call: Call, texts: Sequence[str]) -> str:
    """Return an array of structs for UNNEST, with ordinality if the type has an additional field."""
    value, type_ = texts[0], call.arguments[0].type
    whole, parts = value, ["x"]
    match type_.kind:
        case Kind.ARRAY if type_.parts[0].kind is Kind.ROW:
            parts = [f"x.{quoted(one.name)}" for one in type_.parts[0].fields]
        case Kind.MAP:
            whole, parts = f"map_entries({value})", ["x.key", "x.value"]
        case Kind.MULTISET:
            whole = f"flatten(transform(map_entries({value}), e -> array_repeat(e.key, e.value)))"
    numbered = len(call.type.parts[0].fields) > len(parts)
    parts += ["i + 1"] if numbered else []
    struct = ", ".join(f"{quoted_text(f'f{at}')}, {part}" for at, part in enumerate(parts))
    return f"transform({whole}, {'(x, i)' if numbered else 'x'} -> named_struct({struct}))"


WINDOWS: Final[Mapping[str, BuiltInFunction]] = {
    FAILURE: BuiltInFunction(like(0), forms("raise_error({0})"), (1, 1)),
    OF_PAIRS: BuiltInFunction(like(1), forms("case when {0} = 0 then {1} else true end"), (2, 2)),
    "$UNLESS_NULL": BuiltInFunction(like(2), forms("if({0} is null, {1}, {2})"), (3, 3)),
    "$WINDOW_START": BuiltInFunction(never_null(_STAMP), forms(_BEGIN), (3, 3)),
    "$WINDOW_TIME": BuiltInFunction(like(0), _last, (1, 1)),
    "$HOP": BuiltInFunction(like(0), _sliced, (4, 4)),
    "$CUMULATE": BuiltInFunction(like(0), _sliced, (4, 4)),
    "$COPIES": BuiltInFunction(like(0), forms("array_repeat(named_struct('copy', 0), cast({0} as int))"), (1, 1)),
    "$UNNEST": BuiltInFunction(like(0), _unnested, (1, 1)),
}
"""Functions by name."""
