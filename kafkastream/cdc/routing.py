"""Selection of the transform rule of a table, and of the tables that it is routed to."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import final

import attrs

from kafkastream.cdc.spec.rules import RouteRule, TransformRule
from kafkastream.cdc.spec.settings import RouteMode
from kafkastream.cdc.tables import TableId

__all__ = ["Router", "first_transform"]


def first_transform(rules: Iterable[TransformRule], table: TableId) -> TransformRule | None:
    r"""Return the first rule that selects a table, or None.

    Example:
        >>> rules = [TransformRule(source_table="shop.orders"), TransformRule(source_table=r"shop.\.*")]
        >>> first_transform(rules, TableId.parse("shop.customers")) is rules[1]
        True
    """
    return next((rule for rule in rules if rule.source_table.selects(table)), None)


@final
@attrs.frozen
class Router:
    r"""Routes tables, with a cache of the results.

    Args:
        rules: Route rules, in order.
        mode: Apply all matching rules, or only the first.

    Example:
        >>> router = Router((RouteRule(source_table=r"shop.orders_\.*", sink_table="ods.orders"),))
        >>> [str(target) for target in router.targets(TableId.parse("shop.orders_1"))]
        ['ods.orders']
        >>> [str(target) for target in router.targets(TableId.parse("shop.customers"))]
        ['shop.customers']
    """

    rules: tuple[RouteRule, ...] = ()
    mode: RouteMode = RouteMode.ALL_MATCH

    def targets(self, table: TableId) -> tuple[TableId, ...]:
        """Return the tables that a table's rows are written to: the table itself if no rule matches."""
        if (known := self._known.get(table)) is None:
            known = self._known[table] = self._routed(table)
        return known

    @cached_property
    def _known(self) -> dict[TableId, tuple[TableId, ...]]:
        return {}

    def _routed(self, table: TableId) -> tuple[TableId, ...]:
        found = [target for rule in self.rules if (target := rule.target(table)) is not None]
        if self.mode is RouteMode.FIRST_MATCH:
            found = found[:1]
        return tuple(dict.fromkeys(found)) or (table,)
