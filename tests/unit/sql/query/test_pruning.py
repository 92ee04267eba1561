"""Columns that no part of a query asks for are not decoded."""

from __future__ import annotations

import pytest

from kafkastream.sql.plan.branches import branches
from kafkastream.sql.plan.column_pruning import needed_columns
from kafkastream.sql.plan.relations import Scan
from tests.unit.sql.planning import plan


def needed(query: str, *, needs_time: bool = False) -> set[str]:
    (branch,) = branches(plan(query))
    assert isinstance(branch.origin, Scan)
    return set(needed_columns(branch.origin, branch, needs_time=needs_time))


@pytest.mark.parametrize(
    ("query", "columns"),
    [
        ("SELECT id FROM orders", {"id"}),
        ("SELECT id FROM orders WHERE cur IS NOT NULL", {"id", "cur"}),
        ("SELECT x FROM (SELECT id AS x, cur FROM orders) AS t", {"id"}),
        ("SELECT * FROM clicks", {"k", "v", "ts"}),
        ("SELECT oid, tag FROM ships CROSS JOIN UNNEST(tags) AS t(tag)", {"oid", "tags"}),
        ("SELECT s.r.x FROM ships AS s", {"r"}),
    ],
)
def test_what_is_asked_for_is_decoded(query: str, columns: set[str]) -> None:
    assert needed(query) == columns
