"""Checks of user-defined aggregate functions: the methods that they need for their input rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from sqlglot import exp

from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.expressions.aggregate_calls import RequestedAggregate
from kafkastream.sql.plan.user_aggregate import UserAggregate

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["check_group_aggregates", "check_mergeable", "check_retractable"]


def check_group_aggregates(planner: SelectPlanner, calls: Iterable[RequestedAggregate]) -> None:
    """Check the aggregates of a GROUP BY without a window.

    Raises:
        UnsupportedFeatureError: A function is vectorized.
    """
    for node, user in _user_aggregates(calls):
        if user.function.is_pandas:
            message = f"Pandas UDAFs are not supported in streaming mode currently: {user.name} needs a window."
            raise planner.text.refused(node, message, "Group by a window, or write an AggregateFunction.")


def check_retractable(planner: SelectPlanner, calls: Iterable[RequestedAggregate], changelog: ChangelogMode) -> None:
    """Check the aggregates of rows that change.

    Raises:
        DefinitionError: A function has no ``retract``.
    """
    for node, user in _user_aggregates(() if changelog.is_insert_only else calls):
        if not user.has("retract"):
            message = (
                f"Method retract is not implemented: {user.name} cannot take back rows, and those of its input change."
            )
            raise planner.text.error(node, message, "Define retract in its class, or read an append-only table.")


def check_mergeable(planner: SelectPlanner, calls: Iterable[RequestedAggregate]) -> None:
    """Check the aggregates of session windows, which may merge.

    Raises:
        DefinitionError: A function has no ``merge``.
        UnsupportedFeatureError: A function is vectorized.
    """
    for node, user in _user_aggregates(calls):
        if user.function.is_pandas:
            message = (
                f"Session Group Window is currently not supported for Pandas UDAF: {user.name} needs another window."
            )
            raise planner.text.refused(node, message, "Group by TUMBLE or HOP, or write an AggregateFunction.")
        if not user.has("merge"):
            message = f"Method merge is not implemented: {user.name} cannot merge sessions."
            raise planner.text.error(node, message, "Define merge in its class, or take another window.")


def _user_aggregates(calls: Iterable[RequestedAggregate]) -> Iterator[tuple[exp.Expr | None, UserAggregate]]:
    """Yield the calls of user-defined functions: node and function."""
    return ((call.node, call.call.user) for call in calls if call.call.user is not None)
