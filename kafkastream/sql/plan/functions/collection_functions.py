"""Functions of arrays and maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kafkastream.sql.casting import implicitly_castable
from kafkastream.sql.plan.expression import Call, ColumnRef, calls_user, is_null
from kafkastream.sql.plan.functions.built_in import (
    Arguments,
    BuiltInFunction,
    CallError,
    always_nullable,
    forms,
    like,
    returns,
)
from kafkastream.sql.plan.functions.type_rules import comparable
from kafkastream.sql.plan.functions.window_functions import failure
from kafkastream.sql.type_families import COLLECTIONS, MAPS, TEXT
from kafkastream.sql.types import DataType, Kind

__all__ = ["COLLECTION_FUNCTIONS", "IN_SUBQUERY"]

IN_SUBQUERY: Final = "Call the function in a subquery: SELECT ... x ... FROM (SELECT f(a) AS x FROM t)."
_ARRAY: Final = (Kind.ARRAY,)


def _only_element(_: Call, texts: Sequence[str]) -> str:
    array, fails = texts
    return f"if(size({array}) > 1, {fails}, get({array}, 0))"


def _or_failure(arguments: Arguments) -> Arguments:
    return [*arguments, failure("ELEMENT takes an array with one element at most.")]


def _element(arguments: Arguments) -> DataType:
    return arguments[0].type.parts[0].nullable()


def _array(arguments: Arguments, element: DataType) -> DataType:
    return returns(DataType.of(Kind.ARRAY, parts=(element,)))(arguments)


def _keys(arguments: Arguments) -> DataType:
    return _array(arguments, arguments[0].type.parts[0].not_null())


def _values(arguments: Arguments) -> DataType:
    type_ = arguments[0].type
    return _array(arguments, DataType.of(Kind.INT) if type_.kind is Kind.MULTISET else type_.parts[1])


def _searched(arguments: Arguments) -> Arguments:
    """Refuse Python functions in the searched value: Spark evaluates it in a lambda, where it cannot call Python."""
    if any(map(calls_user, arguments[1:])):
        raise CallError.unsupported("ARRAY_CONTAINS cannot have a call of a Python function inside.", IN_SUBQUERY)
    element, value = _element(arguments), arguments[1]
    comparable((ColumnRef(0, element), value))
    if not is_null(value) and not implicitly_castable(value.type, element):
        what = f"An element of {arguments[0].type} is expected, not {value.type}."
        raise CallError(what, "CAST one of them.", argument=1)
    return arguments


def _of_texts(arguments: Arguments) -> Arguments:
    if arguments[0].type.parts[0].kind not in TEXT:
        what = f"ARRAY_JOIN joins an ARRAY<STRING>, not {arguments[0].type}."
        raise CallError(what, "CAST the array to ARRAY<STRING>.", argument=0)
    return arguments


def _contained(arguments: Arguments) -> DataType:
    return returns(DataType.of(Kind.BOOLEAN))(arguments[:1])


COLLECTION_FUNCTIONS: Final[Mapping[str, BuiltInFunction]] = {
    "CARDINALITY": BuiltInFunction(
        always_nullable(DataType.of(Kind.INT)),
        forms("cast(if({0} is null, null, size({0})) as int)"),
        (1, 1),
        takes=(COLLECTIONS,),
    ),
    "ELEMENT": BuiltInFunction(
        _element,
        _only_element,
        (1, 1),
        takes=(_ARRAY,),
        prepare=_or_failure,
    ),
    "ARRAY_CONTAINS": BuiltInFunction(
        _contained,
        forms("exists({0}, e -> e <=> {1})"),
        (2, 2),
        takes=(_ARRAY, tuple(Kind)),
        prepare=_searched,
    ),
    "ARRAY_DISTINCT": BuiltInFunction(like(0), forms("array_distinct({0})"), (1, 1), takes=(_ARRAY,)),
    "ARRAY_REVERSE": BuiltInFunction(like(0), forms("reverse({0})"), (1, 1), takes=(_ARRAY,)),
    "ARRAY_JOIN": BuiltInFunction(
        always_nullable(DataType.string()),
        forms("array_join({0}, {1})", "array_join({0}, {1}, {2})"),
        (2, 3),
        takes=(_ARRAY, TEXT),
        prepare=_of_texts,
    ),
    "MAP_KEYS": BuiltInFunction(_keys, forms("map_keys({0})"), (1, 1), takes=(MAPS,)),
    "MAP_VALUES": BuiltInFunction(_values, forms("map_values({0})"), (1, 1), takes=(MAPS,)),
}
"""Functions by name."""
