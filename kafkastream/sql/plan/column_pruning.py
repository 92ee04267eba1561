"""Column pruning: columns that a query does not need are not decoded, and state does not depend on them."""

from __future__ import annotations

from collections.abc import Iterable

from kafkastream.sql.plan.branches import Branch
from kafkastream.sql.plan.expression import TypedExpression, columns_in
from kafkastream.sql.plan.relations import Explode, Project, Scan
from kafkastream.sql.table import ComputedColumn, PhysicalColumn

__all__ = ["needed_before", "needed_columns"]


def needed_columns(scan: Scan, branch: Branch, *, needs_time: bool) -> frozenset[str]:
    """Return the names of the physical columns of a table that a branch needs.

    Args:
        scan: Scan of the table.
        branch: Branch with the projections of its rows.
        needs_time: Whether watermarks are needed.
    """
    needed = frozenset(range(len(branch.fields)))
    for step in reversed(branch.steps):
        needed = needed_before(step, needed)
    if needs_time and scan.watermark is not None:
        needed |= {scan.watermark[0]}
    schema = scan.table.schema
    inputs = [column for column in schema.columns if not isinstance(column, ComputedColumn)]
    if scan.expressions:
        needed = _columns_in(scan.expressions[place] for place in needed)
    return frozenset(inputs[place].name for place in needed if isinstance(inputs[place], PhysicalColumn))


def needed_before(step: Project | Explode, needed: frozenset[int]) -> frozenset[int]:
    """Return the input columns of a step that its needed output columns read."""
    if isinstance(step, Explode):
        return frozenset(place for place in needed if place < len(step.input.fields)) | columns_in(step.array)
    condition = frozenset() if step.condition is None else columns_in(step.condition)
    return condition | _columns_in(step.expressions[place] for place in needed)


def _columns_in(expressions: Iterable[TypedExpression]) -> frozenset[int]:
    return frozenset().union(*map(columns_in, expressions))
