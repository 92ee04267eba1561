"""Queries of Flink SQL on Kafka tables give Flink's rows, and Flink's changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

import pytest

from kafkastream.errors import DefinitionError, JobError
from kafkastream.model.common.row import Row
from kafkastream.table import TableEnvironment
from kafkastream.testing import KafkaBroker, Record
from kafkastream.testing.pytest_plugin import NewTopic

Create = Callable[..., str]


@pytest.fixture
def create(t_env: TableEnvironment, kafka: KafkaBroker, new_topic: NewTopic) -> Create:
    """Declares a bounded table on a topic of its own, and returns the topic."""

    def table(name: str, columns: str, topic: str = "", partitions: int = 1, **options: str) -> str:
        topic = topic or new_topic(partitions=partitions)
        own = {
            "connector": "kafka",
            "topic": topic,
            "properties.bootstrap.servers": kafka.bootstrap_servers,
            "scan.startup.mode": "earliest-offset",
            "scan.bounded.mode": "latest-offset",
            "format": "json",
            **{key.replace("__", "-").replace("_", "."): value for key, value in options.items()},
        }
        if own["connector"] == "upsert-kafka":
            own = {key: value for key, value in own.items() if key not in {"scan.startup.mode", "format"}}
        text = ", ".join(f"'{key}' = '{value}'" for key, value in own.items() if value)
        t_env.execute_sql(f"CREATE TABLE {name} ({columns}) WITH ({text})")
        return topic

    return table


def shown(row: Row) -> str:
    return f"{row.get_row_kind()}[{', '.join(map(str, row))}]"


def changes(t_env: TableEnvironment, query: str) -> list[str]:
    with t_env.execute_sql(query).collect() as rows:
        return list(map(shown, rows))


def table_of(changelog: list[str]) -> Counter[str]:
    """What is left when all changes have been made."""
    left: Counter[str] = Counter()
    for change in changelog:
        left[change[2:]] += 1 if change.startswith("+") else -1
    return +left


ORDERS = """
    INSERT INTO orders VALUES
      (1, 'a', 10.0, TIMESTAMP '2024-05-01 10:00:01'), (2, 'b', 20.0, TIMESTAMP '2024-05-01 10:00:30'),
      (3, 'a', 30.0, TIMESTAMP '2024-05-01 10:01:10'), (4, 'a', 5.0, TIMESTAMP '2024-05-01 10:02:00')
"""
COLUMNS = "id BIGINT, who STRING, price DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND"
TOTALS = "who STRING, n BIGINT, total DOUBLE, PRIMARY KEY (who) NOT ENFORCED"
UPSERT: Mapping[str, str] = {"connector": "upsert-kafka", "key_format": "json", "value_format": "json"}


def test_rows_aggregates_and_windows(t_env: TableEnvironment, create: Create, kafka: KafkaBroker) -> None:
    create("orders", COLUMNS)
    totals = create("totals", TOTALS, **UPSERT)
    t_env.execute_sql(ORDERS).wait()
    assert changes(t_env, "SELECT id * 10, UPPER(who) AS w FROM orders WHERE price > 6") == [
        "+I[10, A]",
        "+I[20, B]",
        "+I[30, A]",
    ]
    grouped = changes(
        t_env, "SELECT who, COUNT(*), SUM(price), MAX(price) FROM orders GROUP BY who HAVING COUNT(*) > 1"
    )
    assert table_of(grouped) == Counter(["[a, 3, 45.0, 30.0]"])
    windows = changes(
        t_env,
        """
        SELECT who, window_start, COUNT(*), SUM(price)
        FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY who, window_start, window_end
        """,
    )
    assert sorted(windows) == [
        "+I[a, 2024-05-01 10:00:00, 1, 10.0]",
        "+I[a, 2024-05-01 10:01:00, 1, 30.0]",
        "+I[a, 2024-05-01 10:02:00, 1, 5.0]",
        "+I[b, 2024-05-01 10:00:00, 1, 20.0]",
    ]
    t_env.execute_sql("INSERT INTO totals SELECT who, COUNT(*), SUM(price) FROM orders GROUP BY who").wait()
    written = {record.key: record.value for record in kafka.consume(totals)}
    assert written == {
        b'{"who":"a"}': b'{"who":"a","n":3,"total":45.0}',
        b'{"who":"b"}': b'{"who":"b","n":1,"total":20.0}',
    }


def test_changes_of_an_upsert_table(t_env: TableEnvironment, create: Create, kafka: KafkaBroker) -> None:
    topic = create("totals", TOTALS, **UPSERT)
    record = [(b'{"who":"a"}', b'{"who":"a","n":1,"total":1.0}'), (b'{"who":"b"}', b'{"who":"b","n":5,"total":2.0}')]
    more = [(b'{"who":"a"}', b'{"who":"a","n":2,"total":3.0}'), (b'{"who":"b"}', None), (b'{"who":"c"}', None)]
    kafka.produce(topic, [kafka_record(key, value) for key, value in [*record, *more]])
    told = changes(t_env, "SELECT * FROM totals WHERE n < 9")
    assert [change for change in told if "a" in change] == ["+I[a, 1, 1.0]", "-U[a, 1, 1.0]", "+U[a, 2, 3.0]"]
    assert [change for change in told if "a" not in change] == ["+I[b, 5, 2.0]", "-D[b, 5, 2.0]"]
    assert table_of(changes(t_env, "SELECT COUNT(*), SUM(total) FROM totals")) == Counter(["[1, 3.0]"])


def test_columns_of_times_are_collected(t_env: TableEnvironment, create: Create, kafka: KafkaBroker) -> None:
    topic = create("doors", "door STRING, `at` TIME(0)", properties_spark_maxOffsetsPerTrigger="2")
    kafka.produce(
        topic, [f'{{"door":"{door}","at":"{at}"}}' for door, at in [("a", "10:00:05"), ("a", "09:00:00")] * 2]
    )
    assert changes(t_env, "SELECT `at` FROM doors") == ["+I[10:00:05]", "+I[09:00:00]"] * 2
    ends = changes(t_env, "SELECT door, MIN(`at`), MAX(`at`) FROM doors GROUP BY door")
    assert table_of(ends) == Counter(["[a, 09:00:00, 10:00:05]"])


def test_a_top_1_updates_its_topic_without_deletions(
    t_env: TableEnvironment, create: Create, kafka: KafkaBroker
) -> None:
    """The records of each key are those that Flink 2.2 writes."""
    bids = create("bids", "item STRING, price INT", properties_spark_maxOffsetsPerTrigger="2")
    best = create("best", "item STRING, price INT, PRIMARY KEY (item) NOT ENFORCED", **UPSERT)
    offers = [("k", 1), ("k", 3), ("j", 5), ("k", 2), ("k", 7), ("j", 9)]
    kafka.produce(bids, [f'{{"item":"{item}","price":{price}}}' for item, price in offers])
    top = "SELECT *, ROW_NUMBER() OVER (PARTITION BY item ORDER BY price DESC) AS rn FROM bids"
    t_env.execute_sql(f"INSERT INTO best SELECT item, price FROM ({top}) WHERE rn = 1").wait()
    written = sorted(kafka.consume(best), key=lambda record: record.key or b"")  # each key's in their order
    highest = [("j", 5), ("j", 9), ("k", 1), ("k", 3), ("k", 7)]
    assert [one.value for one in written] == [
        f'{{"item":"{item}","price":{price}}}'.encode() for item, price in highest
    ]


def test_a_top_1_of_counts_updates_its_topic_without_deletions(
    t_env: TableEnvironment, create: Create, kafka: KafkaBroker
) -> None:
    bids = create("bids", "shop STRING, item STRING", properties_spark_maxOffsetsPerTrigger="2")
    best = create("best", "shop STRING, item STRING, bids BIGINT, PRIMARY KEY (shop) NOT ENFORCED", **UPSERT)
    given = [("s", "a"), ("s", "b"), ("s", "b"), ("t", "c"), ("s", "a"), ("s", "a"), ("t", "c"), ("s", "b")]
    kafka.produce(bids, [f'{{"shop":"{shop}","item":"{item}"}}' for shop, item in given])
    counts = "SELECT shop, item, COUNT(*) AS n FROM bids GROUP BY shop, item"
    top = f"SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY n DESC) AS rn FROM ({counts})"
    t_env.execute_sql(f"INSERT INTO best SELECT shop, item, n FROM ({top}) WHERE rn = 1").wait()
    written = kafka.consume(best)
    assert all(one.value for one in written)
    assert {one.key: one.value for one in written} == {
        b'{"shop":"s"}': b'{"shop":"s","item":"a","bids":3}',
        b'{"shop":"t"}': b'{"shop":"t","item":"c","bids":2}',
    }


def kafka_record(key: bytes, value: bytes | None) -> Record:
    return Record(value=value, key=key)


def test_joins(t_env: TableEnvironment, create: Create, kafka: KafkaBroker) -> None:
    create("orders", COLUMNS)
    create("payments", "order_id BIGINT, paid DOUBLE, paid_at TIMESTAMP(3), WATERMARK FOR paid_at AS paid_at")
    t_env.execute_sql(ORDERS).wait()
    t_env.execute_sql(
        """
        INSERT INTO payments VALUES (1, 10.0, TIMESTAMP '2024-05-01 10:00:20'), (3, 30.0, TIMESTAMP '2024-05-01 10:09:00')
        """
    ).wait()
    joined = "SELECT o.id, p.paid FROM orders AS o {} JOIN payments AS p ON o.id = p.order_id {}"
    within = "AND p.paid_at BETWEEN o.ts AND o.ts + INTERVAL '1' MINUTE"
    assert changes(t_env, joined.format("", within)) == ["+I[1, 10.0]"]
    paid = create("paid", "id BIGINT, paid DOUBLE, PRIMARY KEY (id) NOT ENFORCED", **UPSERT)
    t_env.execute_sql(f"INSERT INTO paid {joined.format('LEFT', '')}").wait()
    assert {record.key: record.value for record in kafka.consume(paid)} == {
        b'{"id":%d}' % number: b'{"id":%d,"paid":%s}' % (number, amount)
        for number, amount in ((1, b"10.0"), (2, b"null"), (3, b"30.0"), (4, b"null"))
    }


@pytest.mark.parametrize(
    "windows",
    [
        "TUMBLE(TABLE {}, DESCRIPTOR(ts), INTERVAL '10' SECOND)",
        *(
            pytest.param(windows, marks=pytest.mark.nightly)
            for windows in (
                "HOP(TABLE {}, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND)",
                "SESSION(TABLE {}, DESCRIPTOR(ts), INTERVAL '10' SECOND)",
            )
        ),
    ],
)
def test_a_window_fails_where_the_time_is_null(
    t_env: TableEnvironment, create: Create, kafka: KafkaBroker, windows: str
) -> None:
    topic = create("events", "who STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts")
    kafka.produce(topic, ['{"who":"a","ts":"2024-05-01 10:00:01"}', '{"who":"b","ts":null}'])
    counts = "SELECT window_start, COUNT(*) FROM TABLE({}) GROUP BY window_start, window_end"
    t_env.execute_sql("CREATE TEMPORARY VIEW timed AS SELECT * FROM events WHERE ts IS NOT NULL")
    assert len(changes(t_env, counts.format(windows.format("timed")))) == (2 if "HOP" in windows else 1)
    assert len(changes(t_env, "SELECT * FROM events")) == 2
    with pytest.raises(JobError, match="RowTime field should not be null") as failed:
        changes(t_env, counts.format(windows.format("events")))
    assert "WHERE ts IS NOT NULL" in str(failed.value)
    assert "SQLSTATE" not in str(failed.value)


def test_a_row_without_a_time_is_dropped_or_of_1970(
    t_env: TableEnvironment, create: Create, kafka: KafkaBroker
) -> None:
    """Same as Flink 2.2.1 on this topic: window functions drop the row, older group windows take its time for 0."""
    topic = create("events", "id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts")
    day = "2024-05-01 00:00:"
    kafka.produce(topic, [f'{{"id":1,"ts":"{day}01"}}', '{"id":2,"ts":null}', f'{{"id":3,"ts":"{day}12"}}'])
    tumbled = "SELECT id, window_start FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '10' SECOND))"
    assert sorted(changes(t_env, tumbled)) == ["+I[1, 2024-05-01 00:00:00]", "+I[3, 2024-05-01 00:00:10]"]
    sliding = "SELECT COUNT(*) FROM TABLE(HOP(TABLE events, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND))"
    assert changes(t_env, sliding) == ["+I[4]"]
    counted = "SELECT TUMBLE_START(ts, {0}), COUNT(*), SUM(id) FROM events GROUP BY TUMBLE(ts, {0})"
    assert sorted(changes(t_env, counted.format("INTERVAL '10' SECOND"))) == [
        "+I[1970-01-01 00:00:00, 1, 2]",
        "+I[2024-05-01 00:00:00, 1, 1]",
        "+I[2024-05-01 00:00:10, 1, 3]",
    ]
    hops = "HOP(ts, INTERVAL '5' SECOND, INTERVAL '10' SECOND)"
    counted = f"SELECT {hops.replace('HOP', 'HOP_START')}, COUNT(*) FROM events GROUP BY {hops}"
    assert sorted(changes(t_env, counted))[:2] == ["+I[1969-12-31 23:59:55, 1]", "+I[1970-01-01 00:00:00, 1]"]


def test_a_row_joins_the_version_of_its_time(t_env: TableEnvironment, create: Create, kafka: KafkaBroker) -> None:
    paid = create("paid", "id INT, cur STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts")
    rates = create(
        "rates",
        "cur STRING, rate INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (cur) NOT ENFORCED",
        **UPSERT,
    )
    day = "2024-05-01 10:0"
    versions = [("EUR", 10, f"{day}0:00"), ("EUR", 11, f"{day}5:00"), ("USD", 7, f"{day}1:00")]
    kafka.produce(
        rates,
        [
            kafka_record(f'{{"cur":"{cur}"}}'.encode(), f'{{"cur":"{cur}","rate":{rate},"ts":"{ts}"}}'.encode())
            for cur, rate, ts in versions
        ],
    )
    times = [(1, "EUR", "4:59"), (2, "EUR", "5:00"), (3, "USD", "0:30"), (4, "USD", "9:00"), (5, "EUR", "9:00")]
    kafka.produce(paid, [f'{{"id":{id_},"cur":"{cur}","ts":"{day}{at}"}}' for id_, cur, at in times])
    joined = """
        SELECT p.id, r.rate FROM paid AS p LEFT JOIN rates FOR SYSTEM_TIME AS OF p.ts AS r ON p.cur = r.cur
    """
    assert sorted(changes(t_env, joined)) == ["+I[1, 10]", "+I[2, 11]", "+I[3, None]", "+I[4, 7]", "+I[5, 11]"]


def test_tombstones_of_versions_as_on_flink(t_env: TableEnvironment, create: Create, kafka: KafkaBroker) -> None:
    """Expected rows are those of Flink 2.2.1; its plan has a ChangelogNormalize for a filter and for metadata alone."""
    paid = create("paid", "cur STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts")
    columns = (
        "cur STRING, rate INT, ts TIMESTAMP(3), twice AS rate * 2, seen TIMESTAMP_LTZ(3) METADATA FROM 'timestamp'"
    )
    rates = create("rates", f"{columns}, WATERMARK FOR ts AS ts, PRIMARY KEY (cur) NOT ENFORCED", **UPSERT)
    day = "2024-05-01 10:00:"
    values = [
        f'{{"cur":"EUR","rate":{rate},"ts":"{day}{at}"}}' for rate, at in ((1, "00"), (2, "05"), (3, "15"), (4, "25"))
    ]
    key = b'{"cur":"EUR"}'
    messages = [values[0], values[1], None, values[2], None, values[3]]
    kafka.produce(rates, [kafka_record(key, None if value is None else value.encode()) for value in messages])
    kafka.produce(paid, [f'{{"cur":"EUR","ts":"{day}{at}"}}' for at in ("06", "09", "12", "16", "21", "40")])
    t_env.execute_sql("CREATE TEMPORARY VIEW dear AS SELECT cur, ts, rate AS r FROM rates WHERE rate > 0")
    t_env.execute_sql("CREATE TEMPORARY VIEW twofold AS SELECT ts, twice AS r, cur FROM rates")
    t_env.execute_sql("CREATE TEMPORARY VIEW seen AS SELECT ts, rate, cur, seen FROM rates")
    times = (6, 9, 12, 16, 21, 40)
    as_they_are, normalized = (2, 2, 2, 3, 3, 4), (None, None, None, None, None, 4)
    expected = (
        ("rates", "v.rate", as_they_are),
        ("twofold", "v.r / 2", as_they_are),
        ("dear", "v.r", normalized),
        ("seen", "CASE WHEN v.seen IS NOT NULL THEN v.rate END", normalized),
    )
    joined = " UNION ALL ".join(
        f"SELECT {number}, SECOND(p.ts), {value} FROM paid AS p "
        f"LEFT JOIN {name} FOR SYSTEM_TIME AS OF p.ts AS v ON p.cur = v.cur"
        for number, (name, value, _) in enumerate(expected)
    )
    assert sorted(changes(t_env, joined)) == sorted(
        f"+I[{number}, {time}, {version}]"
        for number, (_, _, versions) in enumerate(expected)
        for time, version in zip(times, versions, strict=True)
    )


def test_changes_are_refused_where_rows_are_only_added(t_env: TableEnvironment, create: Create) -> None:
    create("orders", COLUMNS)
    create("counts", "who STRING, n BIGINT")
    with pytest.raises(DefinitionError, match="doesn't support consuming update and delete changes"):
        t_env.execute_sql("INSERT INTO counts SELECT who, COUNT(*) FROM orders GROUP BY who")
    with pytest.raises(DefinitionError, match="Different number of columns"):
        t_env.execute_sql("INSERT INTO counts SELECT who FROM orders")
    with pytest.raises(DefinitionError, match="Incompatible types for sink column 'n'"):
        t_env.execute_sql("INSERT INTO counts SELECT who, who FROM orders")
