"""Calls of the user's functions: Spark SQL that calls a Python function of Spark's, and what can be told from it.

Spark calls a Python function for every row of a frame, also for those that CASE passes over. So a function is told
first whether the row is one of the query's (``KEPT``), and is called for no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from kafkastream.sql.casting import implicitly_castable
from kafkastream.sql.plan.casts import converted
from kafkastream.sql.plan.relations import Project, Relation, Scan
from kafkastream.sql.plan.spark_type_names import spark_type
from kafkastream.sql.session_functions import NamedFunction
from kafkastream.sql.types import DataType, Kind

if TYPE_CHECKING:
    from kafkastream.sql.expressions.expressions import Translator

__all__ = [
    "IN_SUBQUERY",
    "KEPT",
    "calls_user",
    "calls_varying",
    "checked_calls",
    "shown_calls",
    "user_call",
    "user_functions",
]

KEPT: Final = "__kept"
"""The column that says whether a row is one of the query's; the others are there for the time that they tell."""
IN_SUBQUERY: Final = "Call the function in a subquery: SELECT ... x ... FROM (SELECT f(a) AS x FROM t)."
_CALL: Final = re.compile(rf"\b(__(?:function|varying)_\d+_(\w*))\({KEPT}(?:, )?")
_VARYING: Final = re.compile(r"\b__varying_\d+_\w*\(")
_INTERVALS: Final = frozenset({Kind.INTERVAL_YEAR_MONTH, Kind.INTERVAL_DAY_SECOND})


def user_call(of: Translator, node: exp.Expr, named: NamedFunction) -> str:
    """A call of a function of the user's.

    Raises:
        DefinitionError: It takes other arguments.
        UnsupportedFeatureError: An argument has a type that no Python function gets.
    """
    arguments = [of.sql(argument) for argument in node.expressions]
    expected = named.function.input_types
    if expected is not None and len(expected) != len(arguments):
        raise _mismatch(of, node, named, f"{len(expected)} arguments are expected, and {len(arguments)} given")
    given = [
        _argument(of, node, named, sql, None if expected is None else expected[at]) for at, sql in enumerate(arguments)
    ]
    return of.typed(f"{named.spark_name}({', '.join([KEPT, *given])})", named.function.result_type.nullable())


def _argument(of: Translator, node: exp.Expr, named: NamedFunction, sql: str, expected: DataType | None) -> str:
    if sql == "null":
        return f"cast(null as {spark_type(expected or DataType.string())})"
    type_ = of.type_of(sql)
    if type_.kind in _INTERVALS:
        what = f"An argument of {named.name} is {type_}, which no Python function gets."
        raise of.text.refused(node, what, "Give it the two times, or a number from TIMESTAMPDIFF.")
    if expected is None or type_.nullable() == expected.nullable():
        return sql
    if not implicitly_castable(type_, expected):
        raise _mismatch(of, node, named, f"{type_} is no {expected}")
    return converted(of, node, sql, type_, expected, "cast")


def _mismatch(of: Translator, node: exp.Expr, named: NamedFunction, why: str) -> Exception:
    types = ", ".join(map(str, named.function.input_types or ()))
    return of.text.error(
        node, f"Invalid function call: {why}. Supported signatures are: {named.name}({types})", "CAST the arguments."
    )


def checked_calls(of: Translator, node: exp.Expr, sql: str) -> str:
    """Spark SQL that is made of an expression, if it calls each function as often as that does.

    Raises:
        UnsupportedFeatureError: It would call one that is not deterministic again.
    """
    again = len(_VARYING.findall(sql))
    if again and again > sum(_varies(of, one) for one in node.find_all(exp.Anonymous)):
        what = f"{of.text.shown(node)} needs the result of a function more than once, which is not deterministic."
        raise of.text.refused(node, what, IN_SUBQUERY)
    return sql


def _varies(of: Translator, node: exp.Anonymous) -> bool:
    user = of.user_function(node)
    return user is not None and not user.function.is_deterministic


def calls_user(sql: str) -> bool:
    """Whether Spark SQL calls a function of the user's."""
    return _CALL.search(sql) is not None


def calls_varying(sql: str) -> bool:
    """Whether it calls one that is not deterministic."""
    return _VARYING.search(sql) is not None


def shown_calls(sql: str) -> str:
    """Spark SQL with the names that the user knows.

    Example:
        >>> shown_calls("__function_1_twice(__kept, c0) + __varying_2_dice(__kept)")
        'twice(c0) + dice()'
    """
    return _CALL.sub(r"\2(", sql)


def user_functions(texts: Iterable[str]) -> Iterator[str]:
    """The names in Spark of all functions of the user's that expressions call; one that is called twice comes twice."""
    return (found[1] for text in texts for found in _CALL.finditer(text))


def called_by(relation: Relation) -> Iterator[str]:
    """The same for all expressions of a relation."""
    yield from user_functions(_texts(relation))
    yield from chain.from_iterable(map(called_by, relation.inputs))


def _texts(relation: Relation) -> Iterator[str]:
    match relation:
        case Scan():
            yield from relation.expressions
        case Project():
            yield from (*relation.expressions, relation.condition or "")
        case _:  # what else there is has no calls of the user's
            return
