"""Nexmark's queries give the final rows of real Flink."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.nexmark_queries import Query, count_char, events_table, files_table, queries, side_input_table, views
from kafkastream.table import TableEnvironment
from kafkastream.table.udf import udf
from tests.differential.golden_nexmark import NEXMARK
from tests.differential.nexmark_rows import OPTIONS, SIDE_INPUT, final_rows, row_text

WIDEST = max(query.width for query in queries())
BY_WALL_CLOCK = "q12"
"""Its windows depend on when it runs; Flink drops those that are open when the events end."""
ALL = tuple(query.name for query in queries() if query.name != BY_WALL_CLOCK)
SAMPLE = ("q1", "q4", "q5", "q8", "q13", "q18", "q22")
"""Queries that each test run compares: a projection, joins, windows, a lookup and a deduplication."""


@pytest.fixture
def nexmark(t_env: TableEnvironment, tmp_path: Path) -> TableEnvironment:
    t_env.execute_sql(events_table(OPTIONS))
    (tmp_path / "side.csv").write_text("".join(f"{key},{value}\n" for key, value in SIDE_INPUT))
    t_env.execute_sql(side_input_table(str(tmp_path)))
    for view in views():
        t_env.execute_sql(view)
    t_env.create_temporary_function("count_char", udf(count_char, result_type="BIGINT"))
    return t_env


def as_texts(query: Query) -> str:
    """A query for the rows of another one as texts, as many as the widest has."""
    columns = [f"c{place}" for place in range(query.width)]
    texts = [f"COALESCE(CAST({column} AS STRING), 'None')" for column in columns]
    missing = ["CAST(NULL AS STRING)"] * (WIDEST - len(texts))
    return f"SELECT '{query.name}', {', '.join((*texts, *missing))} FROM ({query.select}) AS t ({', '.join(columns)})"


def test_bids_are_in_files_by_minute(nexmark: TableEnvironment, tmp_path: Path) -> None:
    out = tmp_path / "bids"
    nexmark.execute_sql(files_table(str(out)))
    (query,) = (query for query in queries() if query.name == "q10")
    nexmark.execute_sql(f"INSERT INTO nexmark_q10 {query.select}").wait()
    partitions = {file.parent for file in out.rglob("part-*")}
    assert {file.parent for file in out.rglob("_SUCCESS")} == partitions
    with nexmark.execute_sql("SELECT * FROM nexmark_q10").collect() as rows:
        assert final_rows(Counter(map(row_text, rows))) == json.loads(NEXMARK.read_text())["queries"]["q10"]


@pytest.mark.parametrize("names", [SAMPLE, pytest.param(ALL, marks=pytest.mark.nightly)], ids=["sample", "all"])
def test_final_rows_are_those_of_flink(nexmark: TableEnvironment, names: Sequence[str]) -> None:
    golden = json.loads(NEXMARK.read_text())
    assert golden["events"] == OPTIONS
    compared = [query for query in queries() if query.name in names]
    width = {query.name: query.width for query in compared}
    left: defaultdict[str, Counter[str]] = defaultdict(Counter)
    with nexmark.execute_sql(" UNION ALL ".join(map(as_texts, compared))).collect() as rows:
        for row in rows:
            name, *texts = row
            left[name][row_text(texts[: width[name]])] += 1 if str(row.get_row_kind()).startswith("+") else -1
    found = {name: final_rows(counts) for name, counts in left.items()}
    assert found == {name: golden["queries"][name] for name in width}
