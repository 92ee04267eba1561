"""Matches of patterns are those of real Flink, of which ``golden.json`` is the record, wherever micro-batches end."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import pytest

from kafkastream.common import Row
from kafkastream.errors import JobError, KafkastreamError
from kafkastream.model.common.value_printing import java_float
from kafkastream.sql.types import Kind
from kafkastream.table import EnvironmentSettings, TableEnvironment
from tests.differential.matches.cases import CASES, COLUMNS, LATE, ROWS, VIEWS
from tests.differential.matches.otherwise import ALLOWED, FAILING, NOT_LATE, REFUSED, VARIES
from tests.differential.queries_driven import driven_rows

GOLDEN: Final = json.loads(Path(__file__).with_name("golden.json").read_text())["cases"]
PLANNED: Final = [name for name in CASES if "error" not in GOLDEN[name] and name not in REFUSED]
DRIVEN: Final = [name for name in PLANNED if name not in VARIES]
Shown = tuple[str | None, ...]


@pytest.fixture(scope="module")
def planning() -> TableEnvironment:
    """Knows the table and the views; plans only, so that there need not be a broker."""
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    options = "'connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'h:1', 'format' = 'json'"
    t_env.execute_sql(f"CREATE TABLE ticker ({COLUMNS}) WITH ({options}, 'scan.startup.mode' = 'earliest-offset')")
    for name, query in VIEWS.items():
        t_env.execute_sql(f"CREATE TEMPORARY VIEW {name} AS {query}")
    return t_env


def columns(t_env: TableEnvironment, query: str) -> list[str]:
    schema = t_env.sql_query(query).get_schema()
    names, types = schema.get_field_names(), schema.get_field_data_types()
    return [f"{name} {type_}" for name, type_ in zip(names, types, strict=True)]


@pytest.mark.parametrize("name", CASES)
def test_columns_and_errors_are_those_of_flink(planning: TableEnvironment, name: str) -> None:
    found = GOLDEN[name]
    if name in REFUSED:
        with pytest.raises(KafkastreamError):
            columns(planning, CASES[name])
        assert "error" not in found
    elif name in VARIES:
        assert columns(planning, CASES[name])
    elif "error" in found and name not in {*ALLOWED, *FAILING}:
        with pytest.raises(KafkastreamError):
            columns(planning, CASES[name])
    else:
        given = columns(planning, CASES[name])
        assert "error" in found or given == [one.removesuffix(" *ROWTIME*") for one in found["columns"]]


def driven(t_env: TableEnvironment, name: str, at_once: int) -> list[Row]:
    """The rows that a query makes of micro-batches with so many rows; the watermark makes a row late if each has one."""
    rows = [row for row in ROWS if at_once == 1 or name in NOT_LATE or row["id"] != LATE]
    return driven_rows(t_env, CASES[name], {"ticker": rows}, at_once)


def as_flink_shows(value: Any, kind: Kind) -> str | None:
    if isinstance(value, datetime):
        return value.isoformat(" ", "milliseconds").removesuffix(".000")
    if kind is Kind.FLOAT and value is not None:
        return java_float(value)
    return None if value is None else str(value)


def keyed(rows: Iterable[Shown]) -> dict[str | None, list[Shown]]:
    """The rows of each key, in their order."""
    found: dict[str | None, list[Shown]] = {}
    for row in rows:
        found.setdefault(row[0], []).append(row)
    return found


@pytest.mark.parametrize("at_once", [1, 7, 200])
@pytest.mark.parametrize("name", DRIVEN)
def test_rows_are_those_of_flink(name: str, at_once: int, planning: TableEnvironment) -> None:
    fields = planning.sql_query(CASES[name])._relation.fields
    given = [
        tuple(as_flink_shows(value, field.type.kind) for value, field in zip(row, fields, strict=True))
        for row in driven(planning, name, at_once)
    ]
    wanted = [tuple(row[1:]) for row in GOLDEN[name]["rows"]]
    assert Counter(given) == Counter(wanted)
    if name != "two keys" and fields[0].name == "symbol":
        assert keyed(given) == keyed(wanted)


@pytest.mark.parametrize("name", FAILING)
def test_jobs_that_fail_on_flink_fail_here(name: str, planning: TableEnvironment) -> None:
    with pytest.raises(JobError) as raised:
        driven(planning, name, 7)
    assert FAILING[name] in str(raised.value)


def test_what_is_told_of_the_queries_is_true() -> None:
    assert {*ALLOWED, *REFUSED, *FAILING, *NOT_LATE, *VARIES} <= set(CASES)
    assert len(PLANNED) >= 140
