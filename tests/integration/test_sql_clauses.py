"""Clauses of queries over several micro-batches: what they keep, emit and take back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import pytest

from kafkastream.model.common.row import Row
from kafkastream.table import TableEnvironment
from kafkastream.testing import KafkaBroker
from kafkastream.testing.pytest_plugin import NewTopic

COLUMNS = "id BIGINT, who STRING, price DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND"
NUMBER = "CAST({} AS STRING)".format
QUERIES: Mapping[str, tuple[str, str]] = {
    "both": ("COALESCE(who, '-')", "SELECT who FROM orders INTERSECT ALL SELECT who FROM paid"),
    "unpaid": ("COALESCE(who, '-')", "SELECT who FROM orders EXCEPT SELECT who FROM paid"),
    "sums": (
        f"CONCAT(COALESCE(who, '-'), {NUMBER('g')}, ' ', {NUMBER('s')})",
        "SELECT who, GROUPING(who) AS g, CAST(SUM(price) AS BIGINT) AS s FROM orders GROUP BY CUBE (who)",
    ),
    "dear": (NUMBER("id"), "SELECT id FROM orders ORDER BY price DESC, id LIMIT 2 OFFSET 1"),
    "common": (
        "CONCAT(who, COALESCE(CAST(a AS STRING), '-'), COALESCE(CAST(b AS STRING), '-'))",
        "SELECT who, o.id AS a, p.id AS b FROM (SELECT who, id FROM orders WHERE id < 5) AS o FULL JOIN paid AS p USING (who)",
    ),
}
"""For each query, its columns as one text."""


@pytest.fixture
def topics(t_env: TableEnvironment, kafka: KafkaBroker, new_topic: NewTopic) -> Mapping[str, str]:
    """Declares the unbounded tables ``orders`` and ``paid``; returns their topics."""
    t_env.get_config().set("parallelism.default", "1")
    found = {}
    for name in ("orders", "paid"):
        found[name] = new_topic(partitions=1)
        t_env.execute_sql(
            f"CREATE TABLE {name} ({COLUMNS}) WITH ('connector' = 'kafka', 'topic' = '{found[name]}', 'format' = 'json', "
            f"'scan.startup.mode' = 'earliest-offset', 'properties.bootstrap.servers' = '{kafka.bootstrap_servers}')"
        )
    return found


def record(id_: int, who: str | None, price: float, second: int = 0) -> str:
    name = "null" if who is None else f'"{who}"'
    return f'{{"id":{id_},"who":{name},"price":{price},"ts":"2024-05-01 10:00:{second:02}"}}'


def follow(rows: Iterator[Row], left: dict[str, Counter[str]], expected: Mapping[str, Sequence[str]]) -> None:
    """Apply changes until the tables are as expected."""
    while {query: sorted((+table).elements()) for query, table in left.items()} != expected:
        change = next(rows)
        left[change[0]][change[1]] += 1 if str(change.get_row_kind()).startswith("+") else -1


def test_what_changes_from_one_micro_batch_to_the_next(
    t_env: TableEnvironment, kafka: KafkaBroker, topics: Mapping[str, str]
) -> None:
    every = " UNION ALL ".join(
        f"SELECT '{name}' AS q, {text} AS r FROM ({query})" for name, (text, query) in QUERIES.items()
    )
    left: dict[str, Counter[str]] = {query: Counter() for query in QUERIES}
    kafka.produce(topics["paid"], [record(1, "a", 1), record(2, "b", 1)])
    kafka.produce(topics["orders"], [record(1, "a", 10), record(2, "a", 30), record(3, "c", 20)])
    with t_env.execute_sql(every).collect() as rows:
        first = {
            "both": ["a"],
            "unpaid": ["c"],
            "sums": ["-1 60", "a0 40", "c0 20"],
            "dear": ["1", "3"],
            "common": ["a11", "a21", "b-2", "c3-"],
        }
        follow(rows, left, first)
        kafka.produce(topics["orders"], [record(4, "b", 25), record(5, None, 5), record(6, "c", 1)])
        kafka.produce(topics["paid"], [record(3, "c", 1), record(4, "a", 1)])
        second = {
            "both": ["a", "a", "b", "c"],
            "unpaid": ["-"],
            "sums": ["-0 5", "-1 91", "a0 40", "b0 25", "c0 21"],
            "dear": ["3", "4"],
            "common": ["a11", "a14", "a21", "a24", "b42", "c33"],
        }
        follow(rows, left, second)


def test_rows_in_the_order_of_their_time(
    t_env: TableEnvironment, kafka: KafkaBroker, topics: Mapping[str, str]
) -> None:
    kafka.produce(
        topics["orders"], [record(1, "a", 1, 20), record(2, "a", 1, 10), record(3, "b", 2, 10), record(4, "a", 1, 18)]
    )
    with t_env.execute_sql("SELECT id FROM orders ORDER BY ts, price DESC").collect() as rows:
        assert [next(rows)[0] for _ in range(2)] == [3, 2]
        kafka.produce(topics["orders"], [record(5, "a", 1, 19), record(6, "a", 1, 40)])
        assert [next(rows)[0] for _ in range(3)] == [4, 5, 1]
    bounded = "/*+ OPTIONS('scan.bounded.mode' = 'latest-offset') */"
    with t_env.execute_sql(f"SELECT id FROM orders {bounded} ORDER BY price, ts DESC").collect() as rows:
        assert [row[0] for row in rows] == [6, 1, 5, 4, 2, 3]
