"""Clauses of queries give here what they give on real Flink, of which ``golden.json`` is the record."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from kafkastream.errors import KafkastreamError, UnsupportedFeatureError
from kafkastream.table import EnvironmentSettings, TableEnvironment
from tests.differential.clauses.otherwise import ALLOWED, REFUSED, VARIES
from tests.differential.clauses.queries import QUERIES, declared

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GOLDEN: Final[Mapping[str, Any]] = json.loads(Path(__file__).with_name("golden.json").read_text())
CASES: Final = [(clause, query) for clause, queries in QUERIES.items() for query in queries]
SAMPLE: Final = (
    "SELECT k, v FROM t INTERSECT SELECT k, v FROM u",
    "SELECT v, k FROM u EXCEPT ALL SELECT v, k FROM t",
    "SELECT v, k, GROUPING(v, k) AS g, SUM(w) AS s FROM t GROUP BY CUBE (k, v)",
    next(query for query in QUERIES["groups"] if "GROUP BY window_start, window_end, ROLLUP" in query),
    "SELECT * FROM t FULL JOIN n USING (k)",
    "SELECT k, COUNT(*) AS c FROM t GROUP BY k ORDER BY c DESC, k LIMIT 2",
)
"""Queries that every test run compares; all of them take minutes."""


@pytest.fixture(scope="module")
def t_env(tmp_path_factory: pytest.TempPathFactory) -> TableEnvironment:
    """Environment with the tables of the queries."""
    found = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    found.get_config().set("parallelism.default", "1")
    found.get_config().set_local_timezone("UTC")
    for statement in declared(tmp_path_factory.mktemp("tables")):
        found.execute_sql(statement)
    return found


def columns(t_env: TableEnvironment, query: str) -> list[str]:
    schema = t_env.sql_query(query).get_schema()
    return [
        f"{name} {type_}" for name, type_ in zip(schema.get_field_names(), schema.get_field_data_types(), strict=True)
    ]


def wanted(found: Mapping[str, Any]) -> list[str]:
    """Columns on Flink; it keeps time attributes behind joins and aggregates in the schema, but not in the plan."""
    return [one.replace(" *ROWTIME*", "").replace(" *PROCTIME*", "") for one in found["columns"]]


@pytest.mark.parametrize(("clause", "query"), CASES)
def test_columns_and_errors_are_those_of_flink(t_env: TableEnvironment, clause: str, query: str) -> None:
    found = GOLDEN[clause][query]
    if query in REFUSED:
        with pytest.raises(UnsupportedFeatureError):
            columns(t_env, query)
        assert "error" not in found
    elif "error" in found and query not in ALLOWED:
        with pytest.raises(KafkastreamError):
            columns(t_env, query)
    else:
        given = columns(t_env, query)
        assert given == wanted(found) if "error" not in found else given


def test_what_is_told_of_the_tables_of_reasons_is_true() -> None:
    queries = {query for _, query in CASES}
    assert {*ALLOWED, *REFUSED, *VARIES} <= queries
    assert len(ALLOWED) + len(REFUSED) + len(VARIES) <= 40


def in_one_column(query: str, found: Mapping[str, Any]) -> str:
    """A query whose rows are one text, with the query before it."""
    texts = []
    for name, type_ in (one.split(" ", 1) for one in wanted(found)):
        text = f"DATE_FORMAT(`{name}`, 'yyyy-MM-dd HH:mm:ss')" if "TIMESTAMP" in type_ else f"CAST(`{name}` AS STRING)"
        texts.append(f"COALESCE({text}, 'None')")
    number = next(at for at, (_, one) in enumerate(CASES) if one == query)
    return f"SELECT {number} AS q, CONCAT_WS('|', {', '.join(texts)}) AS r FROM ({query})"


def rows_of(found: Mapping[str, Any]) -> Counter[str]:
    """Rows that are left when all changes have been made, each as one text."""
    left: Counter[str] = Counter()
    for change in found["changes"]:
        cells = json.loads(change[2:].replace("'", '"'))
        left["|".join(cell.partition(".999")[0] for cell in cells)] += 1 if change.startswith("+") else -1
    return +left


def compare(t_env: TableEnvironment, queries: Iterable[str]) -> None:
    """Run queries as one job, and compare the rows of each."""
    known = {query: GOLDEN[clause][query] for clause, query in CASES}
    compared = {query: known[query] for query in queries if "error" not in known[query]}
    every = " UNION ALL ".join(in_one_column(query, found) for query, found in compared.items())
    left: dict[str, Counter[str]] = {query: Counter() for query in compared}
    with t_env.execute_sql(every).collect() as rows:
        for row in rows:
            left[CASES[row[0]][1]][row[1]] += 1 if str(row.get_row_kind()).startswith("+") else -1
    for query, found in compared.items():
        assert +left[query] == rows_of(found), query


@pytest.mark.nightly
@pytest.mark.timeout(400)
@pytest.mark.parametrize("clause", sorted({clause for clause, _ in CASES}))
def test_rows_are_those_of_flink(t_env: TableEnvironment, spark: SparkSession, clause: str) -> None:
    compare(t_env, [query for query in QUERIES[clause] if query not in {*REFUSED, *VARIES}])


def test_rows_of_some_queries_are_those_of_flink(t_env: TableEnvironment, spark: SparkSession) -> None:
    compare(t_env, SAMPLE)
