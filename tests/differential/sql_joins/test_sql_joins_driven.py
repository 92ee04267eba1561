"""Plans of joins, subqueries and windows give the rows that real Flink gives, wherever micro-batches end."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Final

import pytest

from kafkastream.common import Row, RowKind
from kafkastream.errors import UnsupportedFeatureError
from kafkastream.table import EnvironmentSettings, TableEnvironment
from tests.differential.queries_driven import driven_rows
from tests.differential.sql_joins.cases import BY_SQL, CASES, COLUMNS, REFUSED, ROWS, VIEWS

GOLDEN: Final = json.loads(Path(__file__).with_name("golden.json").read_text())["cases"]


@pytest.fixture(scope="module")
def planning() -> TableEnvironment:
    """Knows both tables; plans only, so that there need not be a broker."""
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    options = "'connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'h:1', 'format' = 'json'"
    for name, columns in COLUMNS.items():
        t_env.execute_sql(f"CREATE TABLE {name} ({columns}) WITH ({options}, 'scan.startup.mode' = 'earliest-offset')")
    for name, query in VIEWS.items():
        t_env.execute_sql(f"CREATE TEMPORARY VIEW {name} AS {query}")
    return t_env


def as_text(value: object) -> str | None:
    """A value as CAST writes it."""
    match value:
        case None:
            return None
        case bool():
            return str(value).upper()
        case datetime():
            return value.isoformat(" ", "milliseconds")
        case _:
            return str(value)


def left(rows: Iterable[Row]) -> Counter[tuple[str | None, ...]]:
    """The table that is left when all changes have been made."""
    table = Counter[tuple[str | None, ...]]()
    for row in rows:
        table[tuple(map(as_text, row))] += 1 if row.get_row_kind() in {RowKind.INSERT, RowKind.UPDATE_AFTER} else -1
    return table


def as_cast(value: str | None) -> str | None:
    """A value of the record as CAST writes it."""
    return value.upper() if value in {"True", "False"} else value


def test_flink_has_no_plan_for_queries_with_rows_by_sql() -> None:
    assert [name for name in BY_SQL if "error" not in GOLDEN[name]] == []


@pytest.mark.parametrize("name", REFUSED)
def test_queries_with_wrong_rows_in_flink_are_refused(name: str, planning: TableEnvironment) -> None:
    assert Counter(map(tuple, GOLDEN[name].get("rows", ()))) != Counter(REFUSED[name])
    with pytest.raises(UnsupportedFeatureError, match="a column two levels out") as caught:
        planning.sql_query(CASES[name])
    assert caught.value.where.startswith("line 1, column ")


@pytest.mark.parametrize("at_once", [1, 2, 6])
@pytest.mark.parametrize("name", [name for name in CASES if name not in REFUSED])
def test_plan_makes_the_table_of_flink(name: str, at_once: int, planning: TableEnvironment) -> None:
    found = left(driven_rows(planning, CASES[name], ROWS, at_once))
    assert +found == Counter(tuple(map(as_cast, row)) for row in BY_SQL.get(name) or GOLDEN[name]["rows"])
    assert not -found
