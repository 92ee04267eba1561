"""Plans of joins, subqueries and windows give the rows that real Flink gives, wherever micro-batches end."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import pytest

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.common.watermark_strategy import MAX_WATERMARK
from kafkastream.sql.plan.relations import Scan
from kafkastream.table import EnvironmentSettings, TableEnvironment
from tests.differential.sql_joins.cases import BY_SQL, CASES, COLUMNS, REFUSED, ROWS, VIEWS
from tests.differential.sql_joins.interpreted import Interpreted, micros, shown

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


def carried_out(t_env: TableEnvironment, query: str, at_once: int) -> Counter[tuple[str | None, ...]]:
    """The table that a query makes of micro-batches with so many rows of each table."""
    now = 0

    def read(scan: Scan) -> Iterable[tuple[Any, ...]]:
        some = ROWS[scan.table.name[-1]][now * at_once : (now + 1) * at_once]
        return [(*(row[name] for name in row if name != "ts"), micros(str(row["ts"]))) for row in some]

    relation = t_env.sql_query(query)._relation
    plan, left = Interpreted(relation, read), Counter[tuple[str | None, ...]]()
    kinds = [field.type.kind for field in relation.fields]
    count = -(-max(map(len, ROWS.values())) // at_once)
    for now in range(count + 1):
        come = [[micros(str(row["ts"])) for row in rows[: (now + 1) * at_once]] for rows in ROWS.values()]
        watermark = MAX_WATERMARK if now == count else min(max(times) // 1000 - 5_001 for times in come)
        for kind, *values in plan.batch(watermark):
            row = tuple(shown(one, kind_) for one, kind_ in zip(values, kinds, strict=True))
            left[row] += 1 if kind in {0, 2} else -1
    return left


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
    found = carried_out(planning, CASES[name], at_once)
    assert +found == Counter(tuple(map(as_cast, row)) for row in BY_SQL.get(name) or GOLDEN[name]["rows"])
    assert not -found
