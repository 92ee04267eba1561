"""Functions that make arrays from arrays, or look for elements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import attrs

from kafkastream.sql.casting import implicitly_castable
from kafkastream.sql.plan.expression import Call, Cast, TypedExpression, is_null
from kafkastream.sql.plan.functions.bound_arguments import bound, bound_text
from kafkastream.sql.plan.functions.built_in import (
    Arguments,
    BuiltInFunction,
    CallError,
    Infer,
    forms,
    like,
    returns,
)
from kafkastream.sql.type_families import APPROXIMATE, NUMERIC, TEXT, TIMES, WHOLE
from kafkastream.sql.types import DataType, Kind

__all__ = ["ARRAY_FUNCTIONS"]

_ARRAY: Final = (Kind.ARRAY,)
_ANY: Final = tuple(Kind)
_MANY: Final = 255
_SORTABLE: Final = NUMERIC | TEXT | TIMES
"""Kinds of elements whose order in Spark is that of Flink."""
_NAN: Final = "coalesce(isnan(x), false)"
_DISTINCT: Final = "filter({}, (x, i) -> coalesce(isnan(x), false) or not exists(slice({}, 1, i), y -> y <=> x))"
"""Elements without an equal one before; NaN equals nothing, not even NaN."""


def _element(array: TypedExpression) -> DataType:
    return array.type.parts[0]


def _same_elements(arguments: Arguments) -> Arguments:
    """Check that arrays have one type of elements; Flink makes zeros of NULLs where it casts them."""
    kinds = {attrs.evolve(_element(one), is_nullable=True) for one in arguments}
    if len(kinds) > 1 and not {kind.kind for kind in kinds} <= TEXT:
        shown = ", ".join(str(one.type) for one in arguments)
        raise CallError.unsupported(f"Arrays of several types are not supported: {shown}.", "CAST the elements.")
    return arguments


def _joined_type(arguments: Arguments) -> DataType:
    """Return the type of arrays put together: its elements are nullable if those of an array are."""
    first, parts = arguments[0], [_element(one) for one in arguments]
    element = parts[0] if len({one.nullable() for one in parts}) == 1 else DataType.string()
    element = element.nullable() if any(one.is_nullable for one in parts) else element.not_null()
    return returns(attrs.evolve(first.type, parts=(element,)))(arguments)


def _with_element(arguments: Arguments) -> Arguments:
    """Cast the element, the second argument, to the type of the array's elements."""
    array, value, *rest = arguments
    element = _element(array)
    if is_null(value):
        return [array, Cast(value, element.nullable()), *rest]
    if value.type.nullable() == element.nullable() or {value.type.kind, element.kind} <= TEXT:
        return arguments
    if not implicitly_castable(value.type, element):
        what = f"An element of {array.type} is expected, not {value.type}."
        raise CallError(what, "CAST one of them.", argument=1)
    return [array, Cast(value, attrs.evolve(element, is_nullable=value.type.is_nullable)), *rest]


def _added_type(arguments: Arguments) -> DataType:
    array, value = arguments
    element = _element(array)
    type_ = attrs.evolve(array.type, parts=(element.nullable() if value.type.is_nullable else element,))
    return returns(type_)(arguments)


def _added(name: str) -> BuiltInFunction:
    return BuiltInFunction(_added_type, forms(f"{name}({{0}}, {{1}})"), (2, 2), (_ARRAY, _ANY), _with_element)


def _of_sets(exact: str, of_floats: str, infer: Infer) -> BuiltInFunction:
    """Return a function of two arrays as sets; with FLOAT and DOUBLE, NaN equals nothing, as in Java."""

    def written(call: Call, texts: Sequence[str]) -> str:
        if _element(call.arguments[0]).kind in APPROXIMATE:
            return bound_text(_DISTINCT.format(of_floats, of_floats), texts)
        return exact.format(*texts)

    return BuiltInFunction(infer, written, (2, 2), (_ARRAY,), _same_elements)


def _position(call: Call, texts: Sequence[str]) -> str:
    plain = f"cast(array_position({texts[0]}, {texts[1]}) as int)"
    if call.arguments[1].type.kind in APPROXIMATE:
        return f"if(isnan({texts[1]}), if({texts[0]} is null, null, 0), {plain})"
    return plain


def _removed(call: Call, texts: Sequence[str]) -> str:
    nan = "coalesce(isnan({1}), false) or " if call.arguments[1].type.kind in APPROXIMATE else ""
    return bound_text(f"filter({{0}}, x -> {nan}not (x <=> {{1}}))", texts)


def _extreme(sign: str) -> BuiltInFunction:
    """Return ARRAY_MAX or ARRAY_MIN, where a first NaN stays, and later ones are skipped, as in Flink."""
    name = "array_max" if sign == ">" else "array_min"

    def written(call: Call, texts: Sequence[str]) -> str:
        kind = _element(call.arguments[0]).kind
        if kind not in APPROXIMATE:
            return f"{name}({texts[0]})"
        other = f"m is null or (not isnan(m) and not isnan(x) and x {sign} m)"
        found = f"if(x is not null and ({other}), x, m)"
        return f"aggregate({texts[0]}, cast(null as {kind.value.lower()}), (m, x) -> {found})"

    def inferred(arguments: Arguments) -> DataType:
        return _element(arguments[0]).nullable()

    return BuiltInFunction(inferred, written, (1, 1), (_ARRAY,), _elements_of(_SORTABLE, name.upper()))


def _elements_of(kinds: frozenset[Kind], name: str) -> Callable[[Arguments], Arguments]:
    """Return a check of the elements' type."""

    def checked(arguments: Arguments) -> Arguments:
        if _element(arguments[0]).kind not in kinds:
            raise CallError(f"Cannot apply '{name}' to arguments of type '{name}(<{arguments[0].type}>)'", "")
        return arguments

    return checked


_NULLS: Final = "filter({0}, x -> x is null)"
_KNOWN: Final = "filter({0}, x -> x is not null)"


def _sorted(call: Call, texts: Sequence[str]) -> str:
    """Return ARRAY_SORT by the order and the place of NULLs; without a place they come first if ascending."""
    array, up, first = [*texts, *("true", texts[1] if len(texts) > 1 else "true")[len(texts) - 1 :]]
    if _element(call.arguments[0]).kind in APPROXIMATE:
        known = [_by_comparison(*signs) for signs in (("<", ">"), (">", "<"))]
    else:
        known = [f"sort_array({_KNOWN}, {flag})" for flag in ("true", "false")]
    values = f"if({{1}}, {known[0]}, {known[1]})"
    whole = f"if({{2}}, concat({_NULLS}, {values}), concat({values}, {_NULLS}))"
    return bound_text(f"if({{1}} is null or {{2}} is null, null, {whole})", [array, up, first])


def _by_comparison(before: str, after: str) -> str:
    """Return an order in which NaN equals everything, as it does in Flink's comparison."""
    nan = "isnan(l) or isnan(r)"
    order = f"case when {nan} then 0 when l {before} r then -1 when l {after} r then 1 else 0 end"
    return f"array_sort({_KNOWN}, (l, r) -> {order})"


_START: Final = "if({1} < 0, {1} + size({0}), greatest({1} - 1, 0))"
_END: Final = "if({2} < 0, {2} + size({0}), greatest({2} - 1, 0))"
_CUT: Final = bound(
    f"if({_END} < {_START} or {_START} >= size({{0}}) or {_END} < 0, slice({{0}}, 1, 0), "
    f"slice({{0}}, greatest({_START}, 0) + 1, least({_END}, size({{0}}) - 1) - greatest({_START}, 0) + 1))"
)


def _sliced(call: Call, texts: Sequence[str]) -> str:
    """Return ARRAY_SLICE: bounds from 1, negative ones from the end, both included."""
    missing = " or ".join(f"{text} is null" for text in texts)
    end = texts[2] if len(texts) > 2 else f"size({texts[0]})"
    return f"if({missing}, null, {_CUT(call, [texts[0], texts[1], end])})"


_NO_NAN: Final = "not coalesce(isnan(x), false) and exists({1}, y -> y <=> x)"
ARRAY_FUNCTIONS: Final[Mapping[str, BuiltInFunction]] = {
    "ARRAY_APPEND": _added("array_append"),
    "ARRAY_PREPEND": _added("array_prepend"),
    "ARRAY_CONCAT": BuiltInFunction(_joined_type, forms("concat({*})"), (1, _MANY), (_ARRAY,), _same_elements),
    "ARRAY_UNION": _of_sets("array_union({0}, {1})", "concat({0}, {1})", _joined_type),
    "ARRAY_EXCEPT": _of_sets(
        "array_except({0}, {1})", f"filter({{0}}, x -> {_NAN} or not exists({{1}}, y -> y <=> x))", _joined_type
    ),
    "ARRAY_INTERSECT": _of_sets("array_intersect({0}, {1})", f"filter({{0}}, x -> {_NO_NAN})", _joined_type),
    "ARRAY_MAX": _extreme(">"),
    "ARRAY_MIN": _extreme("<"),
    "ARRAY_POSITION": BuiltInFunction(returns(DataType.of(Kind.INT)), _position, (2, 2), (_ARRAY, _ANY), _with_element),
    "ARRAY_REMOVE": BuiltInFunction(lambda given: given[0].type, _removed, (2, 2), (_ARRAY, _ANY), _with_element),
    "ARRAY_SLICE": BuiltInFunction(like(0), _sliced, (2, 3), (_ARRAY, WHOLE - {Kind.BIGINT})),
    "ARRAY_SORT": BuiltInFunction(
        like(0), _sorted, (1, 3), (_ARRAY, (Kind.BOOLEAN,)), _elements_of(_SORTABLE, "ARRAY_SORT")
    ),
}
"""Functions by name."""
