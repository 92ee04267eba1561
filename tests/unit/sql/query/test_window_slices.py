"""Which queries add rows to the slices of their windows."""

from __future__ import annotations

import pytest

from kafkastream.sql.plan.branches import branches
from kafkastream.sql.plan.operations import WindowAggregate
from kafkastream.sql.plan.relations import Explode, Project, Relation, Stateful
from kafkastream.sql.plan.spark_text import spark_text
from kafkastream.sql.plan.window_slices import SlicedBranch, WindowSlices, sliced_branch
from tests.unit.sql.planning import plan

MINUTE, HOUR = 60_000_000, 3_600_000_000
TUMBLE = "TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '1' MINUTE))"
HOP = "TABLE(HOP(TABLE clicks, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '1' HOUR))"
CUMULATE = "TABLE(CUMULATE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '1' HOUR))"
OFFSET = "TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '7' SECOND))"
GROUPED = "GROUP BY k, window_start, window_end"


def aggregate(relation: Relation) -> Stateful:
    """The window aggregate of a query."""
    while not (isinstance(relation, Stateful) and isinstance(relation.operation, WindowAggregate)):
        relation = relation.inputs[0]
    return relation


def sliced(query: str) -> SlicedBranch | None:
    """The sliced input of a query's window aggregate."""
    found = aggregate(plan(query))
    assert isinstance(found.operation, WindowAggregate)
    (branch,) = branches(found.merged[0])
    return sliced_branch(branch, found.operation.keys)


@pytest.mark.parametrize(
    ("query", "slices"),
    [
        (f"SELECT k, COUNT(*) FROM {TUMBLE} {GROUPED}", WindowSlices(MINUTE, MINUTE, 0)),
        (f"SELECT k, COUNT(*) FROM {HOP} {GROUPED}", WindowSlices(MINUTE, HOUR, 0)),
        (f"SELECT k, COUNT(*) FROM (SELECT * FROM {HOP}) {GROUPED}", WindowSlices(MINUTE, HOUR, 0)),
        (
            f"SELECT k, COUNT(*) FROM (SELECT * FROM {TUMBLE} WHERE k <> 'x') {GROUPED}",
            WindowSlices(MINUTE, MINUTE, 0),
        ),
        (
            f"SELECT k, COUNT(*) FROM {CUMULATE} {GROUPED}",
            WindowSlices(MINUTE, HOUR, 0, cumulates=True),
        ),
        (
            f"SELECT k, COUNT(*) FROM {OFFSET} {GROUPED}",
            WindowSlices(MINUTE, MINUTE, 7_000_000),
        ),
        (
            "SELECT k, COUNT(*) FROM clicks GROUP BY k, TUMBLE(ts, INTERVAL '1' MINUTE)",
            WindowSlices(MINUTE, MINUTE, 0),
        ),
        (
            "SELECT k, COUNT(*) FROM clicks GROUP BY k, HOP(ts, INTERVAL '40' SECOND, INTERVAL '1' MINUTE)",
            WindowSlices(40_000_000, MINUTE, 0),
        ),
    ],
)
def test_rows_come_with_their_time(query: str, slices: WindowSlices) -> None:
    found = sliced(query)
    assert found is not None
    assert found.slices == slices
    assert not any(isinstance(step, Explode) for step in found.branch.steps)
    texts = [spark_text(one) for step in found.branch.steps if isinstance(step, Project) for one in step.expressions]
    assert not any("pmod" in text or "sequence" in text for text in texts), texts


@pytest.mark.parametrize(
    "query",
    [
        f"SELECT k, COUNT(*) FROM (SELECT * FROM {TUMBLE} WHERE window_end > TIMESTAMP '2020-01-01 00:00:00') {GROUPED}",
        f"SELECT k, MAX(window_time) FROM {HOP} {GROUPED}",
        f"SELECT k, COUNT(*) FROM (SELECT * FROM {HOP} WHERE window_start > ts) {GROUPED}",
    ],
)
def test_rows_come_with_their_bounds_where_something_else_reads_these(query: str) -> None:
    assert sliced(query) is None
