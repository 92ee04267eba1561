"""``QUALIFY``: a condition on calls of OVER, as WHERE around the query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from kafkastream.sql.expressions.column_scope import Scope
from kafkastream.sql.planner.over.over_frames import windows_in

if TYPE_CHECKING:
    from kafkastream.sql.plan.plan_builder import PlannedRows
    from kafkastream.sql.planner.query_planner import SelectPlanner
    from kafkastream.sql.planner.select import Item

__all__ = ["qualified"]

_OF_WHOLE = ("distinct", "order", "limit", "offset")


def qualified(planner: SelectPlanner, node: exp.Select, *, is_top: bool) -> PlannedRows:
    """Plan a SELECT with QUALIFY.

    Raises:
        DefinitionError: The condition has no call of OVER.
        UnsupportedFeatureError: The SELECT has GROUP BY.
    """
    from kafkastream.sql.planner.select import from_rows, selected_items

    text, condition = planner.text, node.args["qualify"].this
    if node.args.get("group") or node.args.get("having"):
        what = "QUALIFY with GROUP BY is not supported; Flink fails with it, too."
        raise text.refused(node.args["qualify"], what, "Write SELECT ... FROM (SELECT ... GROUP BY ...) QUALIFY ...")
    _, scope, _ = from_rows(planner, node, [])
    items = selected_items(text, scope, node.expressions)
    inner = _Inner(scope, items)
    whole = inner.outside(condition.copy())
    if not inner.has_windows:
        what = f"QUALIFY expression '{text.shown(condition)}' must contain a window function"
        raise text.error(condition, what, "Write it in WHERE.")
    below = node.copy()
    for part in ("qualify", *_OF_WHOLE):
        below.set(part, None)
    below.set("expressions", [exp.alias_(one, f"${at}", quoted=True) for at, one in enumerate(inner.columns)])
    outer = exp.Select(
        expressions=[exp.alias_(_column(at), item.name, quoted=True) for at, item in enumerate(items)],
        from_=exp.From(this=exp.Subquery(this=below)),
        where=exp.Where(this=whole),
        **{part: found.copy() for part in _OF_WHOLE if (found := node.args.get(part))},
    )
    return planner.query(outer, is_top=is_top)


def _column(place: int) -> exp.Column:
    return exp.column(exp.to_identifier(f"${place}", quoted=True))


class _Inner:
    """Columns of the query inside: those that are selected, and those of the condition.

    Args:
        scope: Scope of FROM.
        items: Selected columns.

    Attributes:
        columns: Their expressions.
        has_windows: Whether the condition has calls of OVER.
    """

    def __init__(self, scope: Scope, items: Sequence[Item]) -> None:
        self._names = {name for source in scope.sources for name, _ in source.columns}
        self._aliases = {item.name: at for at, item in enumerate(items) if item.column is None}
        self.columns = [item.node.copy() if item.column is None else _named(scope, item) for item in items]
        self.has_windows = False

    def outside(self, condition: exp.Expr) -> exp.Expr:
        """Return the condition over the columns of the query inside."""
        for one in list(_leaves(condition)):
            place = self._place(one)
            if one is condition:
                return _column(place)
            one.replace(_column(place))
        return condition

    def _place(self, node: exp.Expr) -> int:
        is_alias = isinstance(node, exp.Column) and not node.table and node.name not in self._names
        place = self._aliases.get(node.name) if is_alias else None
        if place is None:
            if node not in self.columns:
                self.columns.append(node.copy())
            place = self.columns.index(node)
        self.has_windows = self.has_windows or next(windows_in(self.columns[place]), None) is not None
        return place


def _leaves(node: exp.Expr) -> Iterator[exp.Expr]:
    """Return the calls of OVER and the columns in a condition, outermost ones."""
    if isinstance(node, exp.Window | exp.Column | exp.Dot):
        yield node
    elif not isinstance(node, exp.Query):
        for child in node.iter_expressions():
            yield from _leaves(child)


def _named(scope: Scope, item: Item) -> exp.Expr:
    """Return the expression of a column of ``*``."""
    assert item.column is not None
    source, name = next(
        (source, name) for source in scope.sources for name, at in source.columns if at == item.column.place
    )
    table = exp.to_identifier(source.alias, quoted=True) if source.alias else None
    return exp.column(exp.to_identifier(name, quoted=True), table=table)
