"""User-defined functions in queries return the rows that real PyFlink returns, as recorded in ``golden.json``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kafkastream.errors import KafkastreamError, UnsupportedFeatureError
from kafkastream.table import EnvironmentSettings, TableEnvironment
from tests.differential.functions import cases
from tests.differential.functions.functions import FUNCTIONS

pytestmark = pytest.mark.timeout(300)

GOLDEN: Mapping[str, Any] = json.loads((Path(__file__).parent / "golden.json").read_text())
WIDTH = 3
MORE_THAN_FLINK = {
    "a constant": [["x"], ["yy"]],
    "a constant without LATERAL": [["x"], ["yy"]],
    "function": [
        ["1", "one"],
        ["1", "two"],
        ["2", "three"],
        ["4", "one"],
        ["5", ""],
        ["6", "six"],
        ["6", ""],
        ["6", "seven"],
        ["7", "last"],
    ],
    "top n, grouped": [["a", "1"], ["b", "6"]],
    "top n of others": [["1", "7"], ["2", "6"], ["3", "7"], ["4", "7"], ["5", "5"], ["6", "6"], ["7", "7"]],
    "top n, left": [["a", "1"], ["a", "4"], ["b", "6"], ["c", "None"]],
}
"""Rows of queries that PyFlink 2.2 cannot plan or run."""

LESS_THAN_FLINK = {"unnest, expression", "unnest, left", "aggregate, unequal"}
"""Queries that are refused, with another way; Flink leaves the expression over UNNEST out."""

Rows = Counter[tuple[str, ...]]


@pytest.fixture(scope="module")
def t_env(tmp_path_factory: pytest.TempPathFactory) -> TableEnvironment:
    """The tables and functions of the cases."""
    folder = tmp_path_factory.mktemp("functions")
    (folder / "rows.json").write_text("".join(json.dumps(row) + "\n" for row in cases.ROWS))
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", "1").set("table.local-time-zone", "UTC")
    options = f"'connector' = 'filesystem', 'path' = '{folder.as_uri()}', 'format' = 'json'"
    t_env.execute_sql(f"CREATE TABLE t ({cases.COLUMNS}) WITH ({options})")
    for name, function in FUNCTIONS.items():
        t_env.create_temporary_function(name, function)
    return t_env


def expected(group: str) -> dict[str, Rows]:
    """What Flink gave for each case; for those it fails at, what is right."""
    found = {}
    for case, rows in GOLDEN[group].items():
        if isinstance(rows, list) and case not in LESS_THAN_FLINK:
            found[case] = Counter(map(tuple, rows))
        elif case in MORE_THAN_FLINK:
            found[case] = Counter(map(tuple, MORE_THAN_FLINK[case]))
    return found


def left(t_env: TableEnvironment, query: str) -> Rows:
    """The rows that are left when all changes have been made, as texts."""
    rows: Rows = Counter()
    with t_env.execute_sql(query).collect() as changes:
        for row in changes:
            rows[tuple(map(str, row))] += 1 if row.get_row_kind().name in ("INSERT", "UPDATE_AFTER") else -1
    return +rows


def together(t_env: TableEnvironment, queries: Mapping[str, str], widths: Mapping[str, int]) -> dict[str, Rows]:
    """The rows of queries, which are one job."""
    parts = []
    for case, query in queries.items():
        names = [f"c{place}" for place in range(widths[case])]
        texts = [f"CAST({name} AS STRING)" for name in names] + ["CAST(NULL AS STRING)"] * (WIDTH + 1 - len(names))
        parts.append(f"SELECT '{case}', {', '.join(texts)} FROM ({query}) AS q ({', '.join(names)})")
    found: dict[str, Rows] = {case: Counter() for case in queries}
    for (case, *values), count in left(t_env, " UNION ALL ".join(parts)).items():
        found[case][tuple(values[: widths[case]])] += count
    return found


def given(t_env: TableEnvironment, group: str, queries: Mapping[str, str]) -> tuple[dict[str, Rows], dict[str, Rows]]:
    """What the queries of a group give here, and on Flink."""
    wanted = expected(group)
    widths = {case: len(next(iter(rows))) for case, rows in wanted.items()}
    return together(t_env, {case: queries[case] for case in wanted}, widths), wanted


def columns(t_env: TableEnvironment, group: str, expressions: Mapping[str, str], source: str, keys: int) -> None:
    """Compare aggregates, which are the columns of one query here, with what each gave on Flink."""
    wanted = expected(group)
    key = ["k"] * keys
    texts = [f"CAST({expressions[case]} AS STRING)" for case in wanted]
    rows = left(t_env, f"SELECT {', '.join([*key, *texts])} FROM {source}")
    found = {
        case: Counter((*row[:keys], row[keys + place]) for row in rows.elements()) for place, case in enumerate(wanted)
    }
    assert found == wanted


def test_table_functions(t_env: TableEnvironment) -> None:
    found, wanted = given(t_env, "tables", cases.TABLES)
    assert found == wanted


def test_aggregate_functions(t_env: TableEnvironment) -> None:
    columns(t_env, "grouped", cases.GROUPED, "t GROUP BY k", 1)


def test_aggregate_functions_of_changes(t_env: TableEnvironment) -> None:
    columns(t_env, "changed", cases.CHANGED, "(SELECT k, COUNT(*) AS c, MAX(id) AS m FROM t GROUP BY k)", 0)


def test_aggregate_functions_of_windows(t_env: TableEnvironment) -> None:
    found, wanted = given(t_env, "windowed", cases.WINDOWED)
    assert found == wanted


def test_queries_behind_lateral(t_env: TableEnvironment) -> None:
    found, wanted = given(t_env, "laterals", cases.LATERALS)
    assert found == wanted


@pytest.mark.parametrize("case", sorted(set(cases.LATERALS) - set(expected("laterals"))))
def test_what_is_refused_behind_lateral(t_env: TableEnvironment, case: str) -> None:
    with pytest.raises(UnsupportedFeatureError) as caught:
        t_env.sql_query(cases.LATERALS[case])
    assert caught.value.now


@pytest.mark.parametrize("case", cases.REFUSED)
def test_what_flink_refuses_is_refused(t_env: TableEnvironment, case: str) -> None:
    with pytest.raises(KafkastreamError):
        t_env.sql_query(cases.REFUSED[case])


def test_all_queries_have_run_on_flink() -> None:
    groups = {
        "tables": cases.TABLES,
        "grouped": cases.GROUPED,
        "changed": cases.CHANGED,
        "windowed": cases.WINDOWED,
        "laterals": cases.LATERALS,
        "refused": cases.REFUSED,
    }
    assert {group: list(GOLDEN[group]) for group in groups} == {group: list(of) for group, of in groups.items()}
