"""Conditions of a join: equalities, and bounds of times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import attrs
from sqlglot import exp

from kafkastream.sql.expressions.column_scope import Scope, name_parts
from kafkastream.sql.expressions.common_types import common_type
from kafkastream.sql.expressions.expression_compiler import ExpressionCompiler
from kafkastream.sql.expressions.intervals import interval_ms
from kafkastream.sql.plan.expression import Cast, ColumnRef, TypedExpression, columns_in, shifted
from kafkastream.sql.plan.functions.collection_functions import IN_SUBQUERY
from kafkastream.sql.plan.operations import TimeAttribute
from kafkastream.sql.plan.spark_text import EvaluationCounter
from kafkastream.sql.type_families import NUMERIC, TEXT

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["Conditions", "TimeBound", "classify_correlation", "classify_join_conditions", "conjuncts"]

_COMPARISONS: Mapping[type[exp.Expr], tuple[int, int]] = {
    exp.GTE: (1, 0),
    exp.GT: (1, 1),
    exp.LTE: (-1, 0),
    exp.LT: (-1, 1),
}


class TimeBound(NamedTuple):
    """Bounds of an interval join, for left time minus right time.

    Args:
        times: Position of each side's time column.
        time: Event time or processing time.
        lower_ms: Minimum, in ms.
        upper_ms: Maximum, in ms.
    """

    times: tuple[int, int]
    time: TimeAttribute
    lower_ms: int
    upper_ms: int


class Conditions(NamedTuple):
    """Conditions of a join.

    Args:
        left: Keys of the left side, over its columns.
        right: Keys of the right side, over its columns, pairwise equal to the left ones.
        bound: Bounds of the times, if both are given; otherwise None.
        rest: Other conditions, over the columns of both.
        null_safe: Which of the keys NULL equals NULL in, by their number.
    """

    left: tuple[TypedExpression, ...]
    right: tuple[TypedExpression, ...]
    bound: TimeBound | None
    rest: tuple[TypedExpression, ...]
    null_safe: tuple[int, ...] = ()


def conjuncts(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the conjuncts of a condition."""
    if isinstance(node, exp.And):
        yield from conjuncts(node.this)
        yield from conjuncts(node.expression)
    elif isinstance(node, exp.Paren):
        yield from conjuncts(node.this)
    else:
        yield node


def classify_join_conditions(
    planner: SelectPlanner, left: Scope, right: Scope, nodes: Sequence[exp.Expr]
) -> Conditions:
    """Classify the conditions of a join."""
    return _classify(planner, left, left.joined(right), nodes)


def classify_correlation(planner: SelectPlanner, outer: Scope, inner: Scope, nodes: Sequence[exp.Expr]) -> Conditions:
    """Classify the conditions that correlate a subquery with the outer query; as in Flink, times have no bounds there."""
    both = outer.outer().joined(inner)
    fields = tuple(attrs.evolve(field, time=None) for field in both.fields)
    return _classify(planner, outer, attrs.evolve(both, fields=fields), nodes)


def _classify(planner: SelectPlanner, left: Scope, both: Scope, nodes: Sequence[exp.Expr]) -> Conditions:
    compiler = planner.compiler(both)
    keys: list[tuple[TypedExpression, TypedExpression]] = []
    null_safe: list[int] = []
    bounds: dict[tuple[int, int], list[tuple[int | None, int | None, exp.Expr]]] = {}
    rest: list[TypedExpression] = []
    for node in nodes:
        timed = list(_time_bounds(planner, both, len(left.fields), node))
        if timed:
            for times, low, high in timed:
                bounds.setdefault(times, []).append((low, high, node))
            continue
        pair = (
            _key_pair(planner, compiler, len(left.fields), node) if isinstance(node, exp.EQ | exp.NullSafeEQ) else None
        )
        if pair is not None:
            null_safe.extend([len(keys)] if isinstance(node, exp.NullSafeEQ) else [])
            keys.append(pair)
        else:
            rest.append(compiler.compile(node))
    bound = None
    for times, parts in bounds.items():
        lows, highs = (
            [low for low, _, _ in parts if low is not None],
            [high for _, high, _ in parts if high is not None],
        )
        if lows and highs and bound is None:
            time = left.fields[times[0]].time
            assert time is not None
            bound = TimeBound(times, time, max(lows), min(highs))
        else:
            rest.extend(compiler.compile(node) for _, _, node in parts)
    if any(map(EvaluationCounter(), (*rest, *chain.from_iterable(keys)))):
        message = "A condition that joins takes no function that is not deterministic."
        raise planner.text.refused(nodes[0], message, IN_SUBQUERY)
    return Conditions(
        tuple(left_key for left_key, _ in keys),
        tuple(right_key for _, right_key in keys),
        bound,
        tuple(dict.fromkeys(rest)),
        tuple(null_safe),
    )


def _key_pair(
    planner: SelectPlanner, compiler: ExpressionCompiler, width: int, node: exp.Expr
) -> tuple[TypedExpression, TypedExpression] | None:
    """Return the sides of an equation of left with right columns, each over its own columns, cast to a common type."""
    sides = [compiler.compile(side) for side in (node.this, node.expression)]
    if min(columns_in(sides[0]), default=-1) >= width:
        sides.reverse()
    of_left, of_right = map(columns_in, sides)
    if not of_left or not of_right or max(of_left) >= width or min(of_right) < width:
        return None
    keys = sides[0], shifted(sides[1], width)
    types = keys[0].type, keys[1].type
    if types[0].nullable() == types[1].nullable() or {type_.kind for type_ in types} <= TEXT:
        return keys
    if not {type_.kind for type_ in types} <= NUMERIC:
        return None
    target = common_type(planner.text, node, types)
    return Cast(keys[0], target), Cast(keys[1], target)


def _time_bounds(
    planner: SelectPlanner, scope: Scope, width: int, node: exp.Expr
) -> Iterator[tuple[tuple[int, int], int | None, int | None]]:
    """Yield the bounds of a comparison of times of both sides: minimum and maximum of left minus right, in ms."""
    if isinstance(node, exp.Between):
        lower = exp.GTE(this=node.this.copy(), expression=node.args["low"].copy())
        upper = exp.LTE(this=node.this.copy(), expression=node.args["high"].copy())
        parts = [list(_time_bounds(planner, scope, width, part)) for part in (lower, upper)]
        if all(parts):
            yield from (bound for part in parts for bound in part)
        return
    if type(node) not in _COMPARISONS and not isinstance(node, exp.EQ):
        return
    first, second = _time_and_offset(planner, scope, node.this), _time_and_offset(planner, scope, node.expression)
    if first is None or second is None or (first[0] < width) is (second[0] < width):
        return
    if scope.fields[first[0]].time is not scope.fields[second[0]].time:
        return
    direction, strict = _COMPARISONS.get(type(node), (0, 0))
    if first[0] >= width:
        first, second, direction = second, first, -direction
    times, apart = (first[0], second[0] - width), second[1] - first[1]
    yield (
        times,
        apart + strict if direction >= 0 else None,
        apart - strict if direction <= 0 else None,
    )


def _time_and_offset(planner: SelectPlanner, scope: Scope, node: exp.Expr) -> tuple[int, int] | None:
    """Return a time attribute and the ms added to it; None for other expressions."""
    added = 0
    while isinstance(node, exp.Add | exp.Sub | exp.Paren):
        if not isinstance(node, exp.Paren):
            if not isinstance(node.expression, exp.Interval):
                return None
            sign = 1 if isinstance(node, exp.Add) else -1
            added += sign * interval_ms(planner.text, node.expression)
        node = node.this
    if name_parts(node) is None:
        return None
    column = scope.resolve(planner.text, node)
    if not isinstance(column, ColumnRef) or scope.fields[column.place].time is None:
        return None
    return column.place, added
