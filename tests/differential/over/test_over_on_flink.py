"""Queries with OVER give here what they give on real Flink, of which ``golden.json`` is the record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import pytest

from kafkastream.errors import KafkastreamError
from kafkastream.table import EnvironmentSettings, TableEnvironment
from kafkastream.testing import KafkaBroker
from kafkastream.testing.pytest_plugin import NewTopic
from tests.differential.over.cases import COLUMNS, INPUTS, QUERIES, REFUSED, comparable, golden, lines

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GOLDEN: Final = golden()
SAMPLE: Final = ("values, range", "lag", "qualified", "by a column")
"""Queries that run as one job; ``tests/unit/operators/table/test_over_aggregates.py`` has all that need no Spark."""

Declare = Callable[[str, int], TableEnvironment]


@pytest.fixture
def declare(spark: SparkSession, kafka: KafkaBroker, new_topic: NewTopic) -> Declare:
    """Makes an environment with an input as the table ``events``, some records in each micro-batch."""

    def environment(name: str, per_batch: int) -> TableEnvironment:
        topic = new_topic()
        kafka.produce(topic, lines(name))
        return declared(kafka.bootstrap_servers, topic, per_batch)

    return environment


def declared(servers: str, topic: str, per_batch: int) -> TableEnvironment:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", "2")
    t_env.get_config().set_local_timezone("UTC")
    options = {
        "connector": "kafka",
        "topic": topic,
        "properties.bootstrap.servers": servers,
        "properties.spark.maxOffsetsPerTrigger": str(per_batch),
        "scan.startup.mode": "earliest-offset",
        "scan.bounded.mode": "latest-offset",
        "format": "json",
    }
    text = ", ".join(f"'{key}' = '{value}'" for key, value in options.items())
    t_env.execute_sql(f"CREATE TABLE events ({COLUMNS}) WITH ({text})")
    return t_env


def left_of(changes: Iterable[Sequence[Any]]) -> Counter[str]:
    """Rows that are left when all changes have been made, each as one text."""
    left: Counter[str] = Counter()
    for kind, *values in changes:
        left["|".join(map(told, values))] += 1 if kind.startswith("+") else -1
    return +left


def told(value: Any) -> str:
    return str(value).upper() if isinstance(value, bool) else str(value)


def in_one_column(t_env: TableEnvironment, number: int, query: str) -> str:
    """A query whose rows are one text, with the number of the query before it."""
    schema = t_env.sql_query(query).get_schema()
    texts = [
        f"DATE_FORMAT(`{name}`, 'yyyy-MM-dd HH:mm:ss')" if "TIMESTAMP" in str(type_) else f"CAST(`{name}` AS STRING)"
        for name, type_ in zip(schema.get_field_names(), schema.get_field_data_types(), strict=True)
    ]
    cells = ", ".join(f"COALESCE({text}, 'None')" for text in texts)
    return f"SELECT {number} AS q, CONCAT_WS('|', {cells}) AS r FROM ({query})"


def test_rows_are_those_of_flink_over_micro_batches(declare: Declare) -> None:
    given = "in order"
    t_env = declare(given, 6)
    every = " UNION ALL ".join(in_one_column(t_env, at, QUERIES[title]) for at, title in enumerate(SAMPLE))
    left: dict[str, Counter[str]] = {title: Counter() for title in SAMPLE}
    with t_env.execute_sql(every).collect() as rows:
        for row in rows:
            left[SAMPLE[row[0]]][row[1]] += 1 if str(row.get_row_kind()).startswith("+") else -1
    wrong = {title: (+found, wanted) for title, found in left.items() if +found != (wanted := expected(given, title))}
    assert not wrong


def expected(given: str, title: str) -> Counter[str]:
    return left_of(comparable(title, row) for row in GOLDEN["results"][given][title])


@pytest.mark.parametrize("title", REFUSED)
def test_what_flink_refuses_is_refused_with_a_hint(title: str) -> None:
    assert GOLDEN["refusals"][title]
    with pytest.raises(KafkastreamError) as caught:
        declared("localhost:1", "none", 1).explain_sql(REFUSED[title])
    assert caught.value.now
    assert "line 1, column " in caught.value.where


def test_all_inputs_are_recorded() -> None:
    assert {*GOLDEN["results"]} == {*INPUTS}
    assert all({*found} == {*QUERIES} for found in GOLDEN["results"].values())
