"""Grouping sets: which keys each of them has, and rows once for each (Flink's Expand)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, combinations, islice, product
from math import prod
from typing import TYPE_CHECKING, Final, NamedTuple

import attrs
from sqlglot import exp

from kafkastream.sql.expressions.expression_compiler import ExpressionCompiler
from kafkastream.sql.expressions.function_calls import called_name
from kafkastream.sql.plan.casts import typed_null
from kafkastream.sql.plan.expression import Case, Literal, TypedExpression
from kafkastream.sql.plan.functions import call
from kafkastream.sql.plan.plan_builder import PlannedRows, filtered, normalized, reference
from kafkastream.sql.plan.relations import Explode, Field
from kafkastream.sql.planner.joins.join_parts import keyed
from kafkastream.sql.types import DataType, Kind

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["GROUPING_CALLS", "GroupingSets", "expanded", "grouping_number", "key_sets"]

GROUPING_CALLS: Final = ("GROUPING", "GROUPING_ID", "GROUP_ID")
_BIGINT: Final = DataType.of(Kind.BIGINT).not_null()
_MOST_SETS: Final = 4096

_Set = tuple[exp.Expr, ...]


class GroupingSets(NamedTuple):
    """Grouping sets over rows that have been expanded.

    Args:
        keys: Keys, as written, over the columns of the input.
        sets: Numbers of the keys of each set.
        columns: Columns of the keys in the expanded rows: NULL where the set lacks a key; then the number of the set, if
            there are several.
    """

    keys: tuple[TypedExpression, ...]
    sets: tuple[frozenset[int], ...]
    columns: tuple[TypedExpression, ...]


def key_sets(planner: SelectPlanner, nodes: Sequence[exp.Expr]) -> list[_Set]:
    """Return the keys of each grouping set: one of each element of GROUP BY, in all combinations."""
    parts = [list(islice(_sets_of(node), _MOST_SETS + 1)) for node in nodes]
    if prod(map(len, parts)) > _MOST_SETS:
        what = f"More than {_MOST_SETS} grouping sets are too many."
        raise planner.text.refused(nodes[0], what, f"Write at most {_MOST_SETS} of them with GROUPING SETS.")
    return [tuple(chain.from_iterable(chosen)) for chosen in product(*parts)]


def _sets_of(node: exp.Expr) -> Iterator[_Set]:
    units = [next(_sets_of(one)) for one in node.expressions] if isinstance(node, exp.Rollup | exp.Cube) else []
    match node:
        case exp.GroupingSets():
            yield from chain.from_iterable(map(_sets_of, node.expressions))
        case exp.Rollup():
            yield from (tuple(chain.from_iterable(units[:count])) for count in range(len(units), -1, -1))
        case exp.Cube():
            for count in range(len(units), -1, -1):
                yield from (tuple(chain.from_iterable(some)) for some in combinations(units, count))
        case exp.Tuple():
            yield tuple(node.expressions)
        case exp.Paren():
            yield (node.this,)
        case _:
            yield (node,)


def expanded(
    planner: SelectPlanner,
    rows: PlannedRows,
    condition: TypedExpression | None,
    sets: Sequence[Sequence[TypedExpression]],
) -> tuple[PlannedRows, GroupingSets]:
    """Return the rows that meet a condition once for each grouping set, with the keys of the sets."""
    keys = tuple(dict.fromkeys(chain.from_iterable(sets)))
    numbers = tuple(frozenset(map(keys.index, one)) for one in sets)
    kept = normalized(filtered(rows.relation, [] if condition is None else [condition]), planner.ttl_ms)
    wider, places = keyed(kept, keys)
    each = [call("ROW", Literal(number, _BIGINT)) for number in range(len(sets))]
    relation = Explode(
        input=wider,
        array=call("$ARRAY", *each),
        fields=(*wider.fields, Field("$set", _BIGINT)),
        changelog=wider.changelog,
    )
    number = reference(relation, len(wider.fields))
    columns: list[TypedExpression] = []
    for at, place in enumerate(places):
        key = reference(relation, place)
        having = [Literal(one, _BIGINT) for one, members in enumerate(numbers) if at in members]
        if len(having) < len(sets):
            type_ = key.type.nullable()
            columns.append(Case((call("IN", number, *having),), (key,), typed_null(type_), type_))
        else:
            columns.append(key)
    return attrs.evolve(rows, relation=relation), GroupingSets(keys, numbers, (*columns, number))


def grouping_number(
    of: ExpressionCompiler,
    node: exp.Anonymous,
    found: GroupingSets,
    column: Callable[[TypedExpression], TypedExpression],
) -> TypedExpression:
    """Return ``GROUPING(a, b)``: a bit for each argument, which is 1 in sets without it; or ``GROUP_ID()``.

    The latter distinguishes equal sets, by the number of those before.

    Args:
        of: Compiles the arguments.
        node: The call.
        found: The grouping sets.
        column: Returns the column of the groups for a column of the expanded rows.
    """
    name = called_name(node).upper()
    if bool(node.expressions) is (name == "GROUP_ID"):
        what = f"Invalid number of arguments to function '{name}': {len(node.expressions)}."
        raise of.text.error(node, what, "GROUPING takes keys of GROUP BY, GROUP_ID nothing.")
    places = []
    for argument in node.expressions:
        key = of.compile(argument)
        if key not in found.keys:
            what = f"Argument to operator '{name}' must be a grouped expression"
            raise of.text.error(argument, what, "Take a key of GROUP BY.")
        places.append(found.keys.index(key))
    is_bits = name != "GROUP_ID"
    values = [
        _bits(places, members) if is_bits else found.sets[:at].count(members) for at, members in enumerate(found.sets)
    ]
    if len(set(values)) == 1:
        return Literal(values[0], _BIGINT)
    number = column(found.columns[-1])
    conditions = tuple(call("=", number, Literal(at, _BIGINT)) for at in range(len(values)))
    results = tuple(Literal(value, _BIGINT) for value in values)
    return Case(conditions[:-1], results[:-1], results[-1], _BIGINT)


def _bits(places: Sequence[int], members: frozenset[int]) -> int:
    return sum(1 << at for at, place in enumerate(reversed(places)) if place not in members)
