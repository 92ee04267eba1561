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
from kafkastream.sql.planner.joins.join_parts import with_key_columns
from kafkastream.sql.types import DataType, Kind

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["GROUPING_CALLS", "GroupingSets", "compile_grouping_call", "expand_rows", "key_sets"]

GROUPING_CALLS: Final = ("GROUPING", "GROUPING_ID", "GROUP_ID")
_BIGINT: Final = DataType.of(Kind.BIGINT).not_null()
_MAX_SETS: Final = 4096

_KeySet = tuple[exp.Expr, ...]


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


def key_sets(planner: SelectPlanner, nodes: Sequence[exp.Expr]) -> list[_KeySet]:
    """Return the keys of each grouping set: one of each element of GROUP BY, in all combinations."""
    parts = [list(islice(_sets_of_element(node), _MAX_SETS + 1)) for node in nodes]
    if prod(map(len, parts)) > _MAX_SETS:
        message = f"More than {_MAX_SETS} grouping sets are too many."
        raise planner.text.refused(nodes[0], message, f"Write at most {_MAX_SETS} of them with GROUPING SETS.")
    return [tuple(chain.from_iterable(chosen)) for chosen in product(*parts)]


def _sets_of_element(node: exp.Expr) -> Iterator[_KeySet]:
    units = (
        [next(_sets_of_element(expression)) for expression in node.expressions]
        if isinstance(node, exp.Rollup | exp.Cube)
        else []
    )
    match node:
        case exp.GroupingSets():
            yield from chain.from_iterable(map(_sets_of_element, node.expressions))
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


def expand_rows(
    planner: SelectPlanner,
    rows: PlannedRows,
    condition: TypedExpression | None,
    sets: Sequence[Sequence[TypedExpression]],
) -> tuple[PlannedRows, GroupingSets]:
    """Return the rows that meet a condition once for each grouping set, with the keys of the sets."""
    keys = tuple(dict.fromkeys(chain.from_iterable(sets)))
    numbers = tuple(frozenset(map(keys.index, key_set)) for key_set in sets)
    input_relation = normalized(filtered(rows.relation, [] if condition is None else [condition]), planner.ttl_ms)
    wider, key_columns = with_key_columns(input_relation, keys)
    set_rows = [call("ROW", Literal(number, _BIGINT)) for number in range(len(sets))]
    relation = Explode(
        input=wider,
        array=call("$ARRAY", *set_rows),
        fields=(*wider.fields, Field("$set", _BIGINT)),
        changelog=wider.changelog,
    )
    number = reference(relation, len(wider.fields))
    columns: list[TypedExpression] = []
    for key_index, column in enumerate(key_columns):
        key = reference(relation, column)
        having = [Literal(set_number, _BIGINT) for set_number, members in enumerate(numbers) if key_index in members]
        if len(having) < len(sets):
            type_ = key.type.nullable()
            columns.append(Case((call("IN", number, *having),), (key,), typed_null(type_), type_))
        else:
            columns.append(key)
    return attrs.evolve(rows, relation=relation), GroupingSets(keys, numbers, (*columns, number))


def compile_grouping_call(
    compiler: ExpressionCompiler,
    node: exp.Anonymous,
    grouping_sets: GroupingSets,
    column: Callable[[TypedExpression], TypedExpression],
) -> TypedExpression:
    """Return ``GROUPING(a, b)``: a bit for each argument, which is 1 in sets without it; or ``GROUP_ID()``.

    The latter distinguishes equal sets, by the number of those before.

    Args:
        compiler: Compiles the arguments.
        node: The call.
        grouping_sets: The grouping sets.
        column: Returns the column of the groups for a column of the expanded rows.
    """
    name = called_name(node).upper()
    if bool(node.expressions) is (name == "GROUP_ID"):
        message = f"Invalid number of arguments to function '{name}': {len(node.expressions)}."
        raise compiler.text.error(node, message, "GROUPING takes keys of GROUP BY, GROUP_ID nothing.")
    key_indexes = []
    for argument in node.expressions:
        key = compiler.compile(argument)
        if key not in grouping_sets.keys:
            message = f"Argument to operator '{name}' must be a grouped expression"
            raise compiler.text.error(argument, message, "Take a key of GROUP BY.")
        key_indexes.append(grouping_sets.keys.index(key))
    is_bits = name != "GROUP_ID"
    values = [
        _grouping_bits(key_indexes, members) if is_bits else grouping_sets.sets[:set_number].count(members)
        for set_number, members in enumerate(grouping_sets.sets)
    ]
    if len(set(values)) == 1:
        return Literal(values[0], _BIGINT)
    number = column(grouping_sets.columns[-1])
    conditions = tuple(call("=", number, Literal(set_number, _BIGINT)) for set_number in range(len(values)))
    results = tuple(Literal(value, _BIGINT) for value in values)
    return Case(conditions[:-1], results[:-1], results[-1], _BIGINT)


def _grouping_bits(key_indexes: Sequence[int], members: frozenset[int]) -> int:
    return sum(1 << bit for bit, key_index in enumerate(reversed(key_indexes)) if key_index not in members)
