"""Joins, subqueries and windows give the rows that real Flink gives, over several micro-batches."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from kafkastream.errors import JobError
from kafkastream.table import EnvironmentSettings, TableEnvironment
from tests.differential.sql_joins.cases import BY_SQL, CASES, COLUMNS, REFUSED, ROWS, SAMPLE, VIEWS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kafkastream.testing import KafkaBroker

pytestmark = pytest.mark.timeout(900)  # the first test of a group waits for its job

GOLDEN: Final[Mapping[str, Any]] = json.loads(Path(__file__).with_name("golden.json").read_text())["cases"]
Table = Counter[tuple[str | None, ...]]
_AT_ONCE: Final = 12
OTHERS: Final = [name for name in CASES if name not in {*SAMPLE, *REFUSED}]


@pytest.fixture(scope="module")
def joining(kafka: KafkaBroker, spark: SparkSession) -> TableEnvironment:
    """Knows both tables, of which a micro-batch reads three rows each."""
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", "1")
    for name, columns in COLUMNS.items():
        topic = f"joined-{name}-{uuid.uuid4().hex[:8]}"
        kafka.create_topic(topic)
        kafka.produce(topic, [json.dumps(row) for row in ROWS[name]])
        options = {
            "connector": "kafka",
            "topic": topic,
            "properties.bootstrap.servers": kafka.bootstrap_servers,
            "properties.spark.maxOffsetsPerTrigger": "3",
            "scan.startup.mode": "earliest-offset",
            "scan.bounded.mode": "latest-offset",
            "format": "json",
        }
        given = ", ".join(f"'{key}' = '{value}'" for key, value in options.items())
        t_env.execute_sql(f"CREATE TABLE {name} ({columns}) WITH ({given})")
    for name, query in VIEWS.items():
        t_env.execute_sql(f"CREATE TEMPORARY VIEW {name} AS {query}")
    return t_env


def tables(t_env: TableEnvironment, names: Sequence[str]) -> dict[str, Table]:
    """What some queries give, in one job."""
    left: dict[str, Table] = {name: Counter() for name in names}
    together = " UNION ALL ".join(
        f"SELECT {at} AS n, CAST(x AS STRING) AS x, CAST(y AS STRING) AS y FROM ({CASES[name]}) AS t (x, y)"
        for at, name in enumerate(names)
    )
    with t_env.execute_sql(together).collect() as rows:
        for row in rows:
            left[names[row[0]]][row[1], row[2]] += 1 if row.get_row_kind().value in {0, 2} else -1
    return left


@pytest.fixture(scope="module")
def found(joining: TableEnvironment) -> Callable[[str], Table]:
    """What a query gives; the first test of a group runs its job."""
    known: dict[str, Table] = {}

    def of(name: str) -> Table:
        if name not in known:
            names = list(SAMPLE) if name in SAMPLE else OTHERS
            begin = names.index(name) // _AT_ONCE * _AT_ONCE
            known.update(tables(joining, names[begin : begin + _AT_ONCE]))
        return known[name]

    return of


def as_cast(value: str | None) -> str | None:
    """A value of the record as CAST writes it."""
    return value.upper() if value in {"True", "False"} else value


def as_flink_gives(name: str, found: Table) -> bool:
    wanted = Counter(tuple(map(as_cast, row)) for row in BY_SQL.get(name) or GOLDEN[name]["rows"])
    assert +found == wanted
    return not -found


@pytest.mark.parametrize("name", SAMPLE)
def test_query_gives_the_rows_of_flink(name: str, found: Callable[[str], Table]) -> None:
    assert as_flink_gives(name, found(name))


@pytest.mark.nightly
@pytest.mark.parametrize("name", OTHERS)
def test_other_query_gives_the_rows_of_flink(name: str, found: Callable[[str], Table]) -> None:
    assert as_flink_gives(name, found(name))


@pytest.mark.nightly
def test_a_query_that_gives_two_values_fails_the_job(joining: TableEnvironment) -> None:
    with pytest.raises(JobError, match="received more than one element"):
        list(joining.execute_sql("SELECT id, (SELECT w FROM b WHERE b.k = a.k) FROM a").collect())
