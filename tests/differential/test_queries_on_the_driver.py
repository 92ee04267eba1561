"""Queries give on the test driver, in Python, what they give on real Flink; the others name the function that needs Spark."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import pytest

from kafkastream.common import Row, RowKind
from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.common.value_printing import java_float
from kafkastream.sql.types import Kind
from kafkastream.table import EnvironmentSettings, TableEnvironment
from tests.differential.clauses.otherwise import REFUSED, VARIES
from tests.differential.clauses.queries import QUERIES as CLAUSES
from tests.differential.clauses.queries import TABLES
from tests.differential.clauses.test_clauses_on_flink import GOLDEN as CLAUSES_ON_FLINK
from tests.differential.clauses.test_clauses_on_flink import in_one_column, rows_of
from tests.differential.functions import cases as function_cases
from tests.differential.functions.functions import FUNCTIONS
from tests.differential.functions.test_functions_on_flink import expected as functions_on_flink
from tests.differential.over.cases import COLUMNS, INPUTS, QUERIES, comparable
from tests.differential.over.test_over_on_flink import expected as over_on_flink
from tests.differential.over.test_over_on_flink import left_of
from tests.differential.queries_driven import driven_rows
from tests.differential.table_api.cases import COUNTED, ROWS
from tests.differential.table_api.record import shown, tables, with_rows

_ADDED: Final = {RowKind.INSERT, RowKind.UPDATE_AFTER}
_SPARK: Final = "does not compute (.*) in Python"


def environment(statements: Iterable[str]) -> TableEnvironment:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", "1")
    t_env.get_config().set_local_timezone("UTC")
    for statement in statements:
        t_env.execute_sql(statement)
    return t_env


def left(rows: Iterable[Row]) -> Counter[tuple[Any, ...]]:
    """The table that is left when all changes have been made."""
    table: Counter[tuple[Any, ...]] = Counter()
    for row in rows:
        table[tuple(row)] += 1 if row.get_row_kind() in _ADDED else -1
    return +table


class Comparison:
    """Compares queries with what they gave on Flink.

    Attributes:
        equal: Number of queries that give the same.
        needs: Why the others do not run in Python, and how many these are.
    """

    def __init__(self) -> None:
        self.equal = 0
        self.needs: Counter[str] = Counter()

    def add(
        self,
        t_env: TableEnvironment,
        query: str,
        rows: Mapping[str, Sequence[Any]],
        wanted: Counter[tuple[str, ...]],
        at_once: int = 1,
    ) -> None:
        try:
            changes = driven_rows(t_env, query, rows, at_once)
        except UnsupportedFeatureError as error:
            if "in Python" not in error.what:
                raise
            self.needs[error.what.partition("compute ")[2].partition(" in Python")[0]] += 1
            return
        found = Counter({tuple(map(str, row)): count for row, count in left(changes).items()})
        assert found == wanted, query
        self.equal += 1


@pytest.mark.parametrize("at_once", [1, 4])
def test_clauses(at_once: int) -> None:
    options = "'connector' = 'filesystem', 'path' = '/nowhere', 'format' = 'json'"
    t_env = environment(f"CREATE TABLE {name} ({columns}) WITH ({options})" for name, (columns, _) in TABLES.items())
    rows = {name: list(map(json.loads, lines)) for name, (_, lines) in TABLES.items()}
    comparison = Comparison()
    for clause, queries in CLAUSES.items():
        for query in queries:
            flinks = CLAUSES_ON_FLINK[clause][query]
            if "error" in flinks or query in {*REFUSED, *VARIES}:
                continue
            wanted: Counter[tuple[str, ...]] = Counter({(text,): count for text, count in rows_of(flinks).items()})
            number_and_text = in_one_column(query, flinks)
            comparison.add(t_env, f"SELECT r FROM ({number_and_text})", rows, wanted, at_once)
    assert (comparison.equal, comparison.needs) == (170, {})


@pytest.mark.filterwarnings("ignore:Mean of empty slice")
def test_functions() -> None:
    options = "'connector' = 'filesystem', 'path' = '/nowhere', 'format' = 'json'"
    t_env = environment([f"CREATE TABLE t ({function_cases.COLUMNS}) WITH ({options})"])
    for name, function in FUNCTIONS.items():
        t_env.create_temporary_function(name, function)
    comparison = Comparison()
    sources = {
        "grouped": "SELECT k, {} FROM t GROUP BY k",
        "changed": "SELECT {} FROM (SELECT k, COUNT(*) AS c, MAX(id) AS m FROM t GROUP BY k)",
    }
    for group, cases in (
        ("tables", function_cases.TABLES),
        ("laterals", function_cases.LATERALS),
        ("windowed", function_cases.WINDOWED),
        ("grouped", function_cases.GROUPED),
        ("changed", function_cases.CHANGED),
    ):
        for case, wanted in functions_on_flink(group).items():
            query = cases[case] if group not in sources else sources[group].format(f"CAST({cases[case]} AS STRING)")
            if group not in sources:
                names = [f"c{place}" for place in range(len(next(iter(wanted))))]
                texts = ", ".join(f"CAST({name} AS STRING)" for name in names)
                query = f"SELECT {texts} FROM ({query}) AS q ({', '.join(names)})"
            comparison.add(t_env, query, {"t": function_cases.ROWS}, wanted)
    assert (comparison.equal, comparison.needs) == (74, {})


@pytest.mark.parametrize("given", INPUTS)
def test_over(given: str) -> None:
    options = "'connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'h:1', 'format' = 'json'"
    t_env = environment([f"CREATE TABLE events ({COLUMNS}) WITH ({options}, 'scan.startup.mode' = 'earliest-offset')"])
    for title, query in QUERIES.items():
        changes = driven_rows(t_env, query, {"events": INPUTS[given]})
        kinds = [field.type.kind for field in t_env.sql_query(query)._relation.fields]
        rows = [(str(row.get_row_kind()), *comparable(title, list(map(as_recorded, row, kinds)))) for row in changes]
        assert +left_of(rows) == over_on_flink(given, title), title


def as_recorded(value: Any, kind: Kind) -> Any:
    """A value as in the record: a FLOAT with the digits that it has, a time as text."""
    if value is not None and kind is Kind.FLOAT:
        return float(java_float(value))
    return value.isoformat(" ") if isinstance(value, datetime) else value


GOLDEN: Final = json.loads((Path(__file__).parent / "table_api" / "golden.json").read_text(encoding="utf-8"))["counted"]


@pytest.mark.parametrize(
    "case", [case for case in COUNTED if isinstance(GOLDEN[case], list) and not case.startswith("sums.")]
)
def test_windows_of_the_table_api_that_count_rows(case: str, tmp_path: Path) -> None:
    names = with_rows(tables("kafkastream", ()), ROWS, str(tmp_path))
    rows = [{"k": k, "v": v, "d": d, "ts": f"2026-01-01 00:00:{v:02}"} for k, v, d in ROWS]
    changes = driven_rows(names["c"]._t_env, lambda: eval(case, dict(names)).execute(), {"c": rows})
    found = [(str(row.get_row_kind()), *map(shown, row)) for row in changes]
    assert Counter(found) == Counter(map(tuple, GOLDEN[case]))
