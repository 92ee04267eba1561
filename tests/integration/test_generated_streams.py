"""Aggregates, windows and joins over tables that generate rows without end."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

from kafkastream.common import Row, RowKind
from kafkastream.errors import UnsupportedFeatureError
from kafkastream.table import EnvironmentSettings, TableEnvironment

pytestmark = pytest.mark.usefixtures("spark")

NUMBERS = """
    CREATE TABLE numbers (n INT, k AS n / 10, made TIMESTAMP(3), WATERMARK FOR made AS made)
    WITH ('connector' = 'datagen', 'rows-per-second' = '40', 'fields.n.min' = '0', 'fields.n.max' = '19')
"""


@pytest.fixture
def t_env() -> TableEnvironment:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql(NUMBERS)
    return t_env


def first_rows(t_env: TableEnvironment, query: str, count: int) -> list[Row]:
    """The first rows of a query, which is cancelled then."""
    with t_env.execute_sql(query).collect() as rows:
        return list(islice(rows, count))


def test_counts_go_on_over_micro_batches(t_env: TableEnvironment) -> None:
    counts: dict[Any, int] = {}
    changes = first_rows(t_env, "SELECT k, COUNT(*) FROM numbers GROUP BY k", 30)
    for change in changes:
        before = counts.get(change[0], 0)
        match change.get_row_kind():
            case RowKind.INSERT:
                assert change[0] not in counts
            case RowKind.UPDATE_BEFORE:
                assert change[1] == before
                continue
        assert change[1] > before
        counts[change[0]] = change[1]
    assert set(counts) == {0, 1}
    assert sum(counts.values()) > 40  # rows of more than one second


def test_windows_close_as_rows_come(t_env: TableEnvironment) -> None:
    query = """
        SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE numbers, DESCRIPTOR(made), INTERVAL '1' SECOND))
        GROUP BY window_start, window_end
    """
    rows = first_rows(t_env, query, 3)
    starts = [row[0] for row in rows]
    assert starts == sorted(set(starts))
    assert all(row[1] > 0 for row in rows)


def test_two_generated_tables_are_joined(t_env: TableEnvironment) -> None:
    t_env.execute_sql(
        "CREATE TABLE names (n INT, name AS CONCAT('n', CAST(n AS STRING))) WITH ('connector' = 'datagen', "
        "'rows-per-second' = '1', 'fields.n.min' = '0', 'fields.n.max' = '1')"
    )
    rows = first_rows(t_env, "SELECT numbers.n, name FROM numbers JOIN names ON numbers.n = names.n", 5)
    assert {tuple(row) for row in rows} <= {(0, "n0"), (1, "n1")}


def test_bounded_rows_beside_generated_ones_are_refused(t_env: TableEnvironment) -> None:
    with pytest.raises(UnsupportedFeatureError, match="number-of-rows"):
        t_env.execute_sql("SELECT v, COUNT(*) FROM numbers JOIN (VALUES (1)) AS t(v) ON n = v GROUP BY v")
