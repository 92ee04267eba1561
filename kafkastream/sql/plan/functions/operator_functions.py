"""Operators: comparison, logic, patterns, and constructors of arrays, maps and rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from kafkastream.sql.plan.expression import Call
from kafkastream.sql.plan.functions.arithmetic_functions import ARITHMETIC, misapplied
from kafkastream.sql.plan.functions.bound_arguments import bound
from kafkastream.sql.plan.functions.built_in import (
    Arguments,
    BuiltInFunction,
    CallError,
    always_nullable,
    forms,
    like,
    returns,
)
from kafkastream.sql.plan.functions.similar_patterns import similar_regex
from kafkastream.sql.plan.functions.type_rules import (
    comparable,
    comparable_in_order,
    comparable_with_bounds,
    comparable_with_list,
    widest,
    with_common_type,
)
from kafkastream.sql.plan.functions.written_values import written_text
from kafkastream.sql.plan.spark_type_names import quoted_text
from kafkastream.sql.type_families import ATOMIC, MAPS, NUMERIC, TEXT, WHOLE
from kafkastream.sql.types import DataType, Kind, RowField

__all__ = ["OPERATORS"]

_TRUTH: Final = always_nullable(DataType.of(Kind.BOOLEAN))
_MANY: Final = 2**31


def _compared(form: str, prepare: Callable[[Arguments], Arguments] = comparable) -> BuiltInFunction:
    return BuiltInFunction(_TRUTH, forms(form), (2, 2), prepare=prepare)


def _logic(form: str, count: int) -> BuiltInFunction:
    return BuiltInFunction(_TRUTH, forms(form), (count, count), takes=((Kind.BOOLEAN,),))


def _null_check(form: str) -> BuiltInFunction:
    return BuiltInFunction(_TRUTH, forms(form), (1, 1))


def _within(_: Call, texts: Sequence[str]) -> str:
    return f"({texts[0]} in ({', '.join(texts[1:])}))"


def _like(sign: str) -> BuiltInFunction:
    """Return LIKE as in Flink: without ESCAPE nothing escapes there, while a backslash does in Spark."""

    def written(call: Call, texts: Sequence[str]) -> str:
        pattern = written_text(call.arguments[1])
        if len(texts) > 2:
            return f"({texts[0]} {sign} {texts[1]} escape {texts[2]})"
        if pattern is None:
            return f"({texts[0]} {sign} replace({texts[1]}, '\\\\', '\\\\\\\\'))"
        doubled = quoted_text(pattern.replace("\\", "\\\\"))
        return f"({texts[0]} {sign} {doubled})"

    return BuiltInFunction(_TRUTH, written, (2, 3), takes=(ATOMIC,), prepare=_escaped)


def _escaped(arguments: Arguments) -> Arguments:
    if len(arguments) > 2 and len(written_text(arguments[2]) or "") != 1:
        raise CallError("ESCAPE takes one character, after LIKE.", argument=2)
    return arguments


def _similar() -> BuiltInFunction:
    def prepared(arguments: Arguments) -> Arguments:
        if _similar_regex(_escaped(arguments)) is None:
            what = "SIMILAR TO takes a text with %, _, |, *, +, ?, (), {}, [a-z] and [[:alpha:]] here."
            raise CallError.unsupported(what, "Write REGEXP(value, pattern).", 1)
        return arguments

    def written(call: Call, texts: Sequence[str]) -> str:
        whole = quoted_text(rf"\A(?:{_similar_regex(call.arguments)})\z")
        return f"({texts[0]} rlike {whole})"

    return BuiltInFunction(_TRUTH, written, (2, 3), prepare=prepared)


def _similar_regex(arguments: Arguments) -> str | None:
    """Return the regular expression of a written pattern, with its ESCAPE."""
    pattern, *escape = map(written_text, arguments[1:])
    return None if pattern is None else similar_regex(pattern, *(one or "" for one in escape))


def _joined() -> BuiltInFunction:
    def prepared(arguments: Arguments) -> Arguments:
        if any(one.type.kind not in TEXT for one in arguments):
            raise misapplied("||", arguments)
        return arguments

    return BuiltInFunction(returns(DataType.string()), forms("({0} || {1})"), (2, 2), prepare=prepared)


def _array_type(arguments: Arguments) -> DataType:
    element = widest(arguments) if arguments else DataType.string().not_null()
    return DataType.of(Kind.ARRAY, parts=(element,)).not_null()


def _map_type(arguments: Arguments) -> DataType:
    if not arguments:
        parts = (DataType.string().not_null(), DataType.string().not_null())
    else:
        parts = (widest(arguments[::2]).not_null(), widest(arguments[1::2]))
    return DataType.of(Kind.MAP, parts=parts).not_null()


def _map_parts(arguments: Arguments) -> Arguments:
    if len(arguments) % 2:
        raise CallError("Map requires an even number of arguments", "Write MAP[key, value, ...].")
    pairs = zip(with_common_type(arguments[::2]), with_common_type(arguments[1::2]), strict=True)
    return [part for pair in pairs for part in pair]


def _row_type(arguments: Arguments) -> DataType:
    fields = tuple(RowField(f"EXPR${at}", _plain(one.type)) for at, one in enumerate(arguments))
    return DataType.of(Kind.ROW, fields=fields).not_null()


def _plain(type_: DataType) -> DataType:
    """Return the type of a field in a constructor: texts have any length."""
    if type_.kind not in TEXT:
        return type_
    return DataType.string() if type_.is_nullable else DataType.string().not_null()


def _row(_: Call, texts: Sequence[str]) -> str:
    fields = (f"'EXPR${at}', {text}" for at, text in enumerate(texts))
    return f"named_struct({', '.join(fields)})"


def _item() -> BuiltInFunction:
    def inferred(arguments: Arguments) -> DataType:
        return arguments[0].type.parts[-1].nullable()

    def written(call: Call, texts: Sequence[str]) -> str:
        if call.arguments[0].type.kind is Kind.ARRAY:
            return f"get({texts[0]}, nullif({texts[1]}, 0) - 1)"
        return f"try_element_at({texts[0]}, {texts[1]})"

    def prepared(arguments: Arguments) -> Arguments:
        value, index = arguments
        is_array = value.type.kind is Kind.ARRAY
        known = WHOLE if is_array else frozenset({value.type.parts[0].kind})
        is_text = bool(known & TEXT) and index.type.kind in TEXT
        is_number = bool(known & NUMERIC) and index.type.kind in (WHOLE if is_array else NUMERIC)
        if not (is_text or is_number or index.type.kind in known):
            what = f"{value.type} has no element at {index.type}."
            raise CallError(what, "Take a number from 1." if is_array else "CAST the key.", argument=1)
        return arguments

    return BuiltInFunction(inferred, written, (2, 2), ((Kind.ARRAY, Kind.MAP), tuple(Kind)), prepared)


_PARTS: Final = (
    "if({0} is null, null, named_struct("
    "'w', cast({0} - {0} % 1 as decimal(38, 0)), 'r', cast({0} % 1 as decimal(38, 37))))"
)
"""Whole part of a number and the rest, which are in the order of the numbers."""


def _bytes_type(arguments: Arguments) -> DataType:
    return DataType.of(Kind.BINARY, len(written_text(arguments[0]) or "") // 2).not_null()


def _equal(form: str) -> BuiltInFunction:
    """Return a comparison that maps have, too."""

    def prepared(arguments: Arguments) -> Arguments:
        if {one.type.kind for one in arguments} != {Kind.MAP}:
            return comparable(arguments)
        for one in arguments:
            if any(inner.kind in MAPS or inner.inner_types for inner in one.type.inner_types):
                raise CallError.unsupported("Maps of collections cannot be compared.", "Compare their elements.")
        return [Call("$ENTRIES", (one,), one.type) for one in arguments]

    return BuiltInFunction(_TRUTH, forms(form), (2, 2), prepare=prepared)


def _every(_: Call, texts: Sequence[str]) -> str:
    return " and ".join(texts)


OPERATORS: Final[Mapping[str, BuiltInFunction]] = {
    **ARITHMETIC,
    **{sign: _equal(f"({{0}} {sign} {{1}})") for sign in ("=", "<>")},
    **{sign: _compared(f"({{0}} {sign} {{1}})", comparable_in_order) for sign in (">", ">=", "<", "<=")},
    "IS NOT DISTINCT FROM": _compared("({0} <=> {1})"),
    "IS DISTINCT FROM": _compared("(not ({0} <=> {1}))"),
    "BETWEEN": BuiltInFunction(_TRUTH, forms("({0} between {1} and {2})"), (3, 3), prepare=comparable_with_bounds),
    "IN": BuiltInFunction(_TRUTH, _within, (2, _MANY), prepare=comparable_with_list),
    "IS NULL": _null_check("({0} is null)"),
    "IS NOT NULL": _null_check("({0} is not null)"),
    **{f"IS {word}": _logic(f"({{0}} is {word.lower()})", 1) for word in ("TRUE", "FALSE")},
    **{f"IS NOT {word}": _logic(f"({{0}} is not {word.lower()})", 1) for word in ("TRUE", "FALSE")},
    "AND": _logic("({0} and {1})", 2),
    "OR": _logic("({0} or {1})", 2),
    "NOT": _logic("(not {0})", 1),
    "LIKE": _like("like"),
    "NOT LIKE": _like("not like"),
    "SIMILAR TO": _similar(),
    "||": _joined(),
    "$ALL": BuiltInFunction(_TRUTH, _every, (1, _MANY)),
    "$PARENTHESES": BuiltInFunction(like(0), forms("({0})"), (1, 1)),
    "$PARTS": BuiltInFunction(like(0), bound(_PARTS), (1, 1)),
    "$ENTRIES": BuiltInFunction(like(0), forms("array_sort(map_entries({0}))"), (1, 1)),
    "$BYTES": BuiltInFunction(_bytes_type, lambda call, _: f"x'{written_text(call.arguments[0])}'", (1, 1)),
    "$ARRAY": BuiltInFunction(_array_type, forms("array({*})"), (0, _MANY), prepare=with_common_type),
    "$MAP": BuiltInFunction(_map_type, forms("map({*})"), (0, _MANY), prepare=_map_parts),
    "$ITEM": _item(),
    "ROW": BuiltInFunction(_row_type, _row, (1, _MANY)),
}
"""Operators by sign; names with ``$`` are for syntax without a sign."""
