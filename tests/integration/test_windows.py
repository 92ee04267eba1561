"""Windows give what Flink's give, whichever partition lags, and none of them is lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from kafkastream.common import Time, Types
from kafkastream.datastream import (
    OutputTag,
    ProcessWindowFunction,
    StreamExecutionEnvironment,
)
from kafkastream.datastream.connectors.kafka import KafkaOffsetsInitializer
from kafkastream.datastream.window import (
    TimeWindow,
    TumblingEventTimeWindows,
)
from kafkastream.testing.pytest_plugin import NewTopic
from tests.integration.conftest import Parts
from tests.integration.timed import MONOTONOUS, T0, at, key_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
pytestmark = pytest.mark.usefixtures("two_subtasks")


class Told(ProcessWindowFunction[str, str, str, TimeWindow]):
    """Tells key, window and elements."""

    def process(
        self, key: str, context: ProcessWindowFunction.Context[TimeWindow], elements: Iterable[str]
    ) -> Iterator[str]:
        window = context.window()
        times = sorted(element.split("@")[1] for element in elements)
        yield f"{key} {(window.start - T0) // 1000}-{(window.end - T0) // 1000}: {' '.join(times)}"


def test_watermark_of_a_record_comes_before_the_next_record(
    env: StreamExecutionEnvironment, parts: Parts, new_topic: NewTopic
) -> None:
    """By one record per micro-batch: what comes out of windows reaches later ones before that watermark does."""
    topic, target = new_topic(), new_topic()
    late = OutputTag("late", Types.STRING())
    parts.kafka.produce(topic, [at(second, "a") for second in (1, 6, 2, 12, 4, 31, 11)])
    builder = parts.unbound(topic).set_bounded(KafkaOffsetsInitializer.latest())
    one_by_one = parts.text(builder.set_property("spark.maxOffsetsPerTrigger", "1"))
    keyed = env.from_source(one_by_one, MONOTONOUS, "in").key_by(key_of)
    fives = keyed.window(TumblingEventTimeWindows.of(Time.seconds(5))).side_output_late_data(late).reduce(max)
    tens = fives.key_by(key_of).window(TumblingEventTimeWindows.of(Time.seconds(10))).process(Told(), Types.STRING())
    late_ones = fives.get_side_output(late).map(lambda value: f"late {value}", Types.STRING())
    tens.union(late_ones).sink_to(parts.sink(target))
    env.execute("one by one")
    expected = ["a 0-10: 1 6", "a 10-20: 12", "a 30-40: 31", "late a@11", "late a@2", "late a@4"]
    assert parts.values(target) == expected


def test_collection_and_kafka_in_the_same_windows(
    env: StreamExecutionEnvironment, parts: Parts, two: str, new_topic: NewTopic
) -> None:
    target = new_topic()
    parts.kafka.produce(two, [at(1, "a"), at(59, "a"), at(3, "b", 1)])
    by_value = MONOTONOUS.with_timestamp_assigner(lambda value, _: T0 + int(value.split("@")[1]) * 1000)
    given = env.from_collection(["c@70", "a@2"], Types.STRING()).assign_timestamps_and_watermarks(by_value)
    both = env.from_source(parts.bounded(two), MONOTONOUS, "in").union(given).key_by(key_of)
    both.window(TumblingEventTimeWindows.of(Time.seconds(10))).process(Told(), Types.STRING()).sink_to(
        parts.sink(target)
    )
    env.execute("both")
    assert parts.values(target) == ["a 0-10: 1 2", "a 50-60: 59", "b 0-10: 3", "c 70-80: 70"]


@pytest.mark.nightly
def test_partition_that_lags_a_minute_loses_nothing_here_and_much_in_plain_spark(
    env: StreamExecutionEnvironment, spark: SparkSession, parts: Parts, two: str, new_topic: NewTopic
) -> None:
    target = new_topic()
    ahead = [at(60 + second, "a") for second in range(0, 60, 5)]
    behind = [at(second, "a", 1) for second in range(0, 60, 5)]
    late = OutputTag("late", Types.STRING())
    stream = env.from_source(parts.endless(two), MONOTONOUS, "in").key_by(key_of)
    counted = stream.window(TumblingEventTimeWindows.of(Time.seconds(20))).side_output_late_data(late).process(Told())
    counted.map(lambda line: f"{line.split(':')[0]} has {len(line.split()) - 2}", Types.STRING()).sink_to(
        parts.sink(target)
    )
    counted.get_side_output(late).map(lambda value: f"late {value}", Types.STRING()).sink_to(parts.sink(target))
    spark.conf.set("spark.sql.shuffle.partitions", "2")  # the query keeps it for itself
    native = _natively(spark, parts, two)
    spark.conf.unset("spark.sql.shuffle.partitions")
    job = env.execute_async("lags")
    try:
        for both in (ahead[:6], ahead[6:], behind[:6], behind[6:], [at(130, "a"), at(130, "a", 1)]):
            parts.kafka.produce(two, both)
            native.processAllAvailable()
        ours = parts.values(target, 6)
    finally:
        job.cancel().result()
        native.stop()
    spark_has = {row.start: row["count"] for row in spark.sql("SELECT * FROM native").collect() if row.start < 120}
    print("here:", ours, "plain Spark:", spark_has)  # noqa: T201 - the comparison is what the test is for
    assert ours == sorted(f"a {start}-{start + 20} has 4" for start in range(0, 120, 20))
    assert sum(spark_has.values()) < 24


def _natively(spark: SparkSession, parts: Parts, topic: str) -> Any:
    """The same windows by Spark's own watermark."""
    records = spark.readStream.format("kafka").option("kafka.bootstrap.servers", parts.kafka.bootstrap_servers)
    counts = (
        records.option("subscribe", topic)
        .load()
        .withWatermark("timestamp", "0 seconds")
        .groupBy(_window())
        .count()
        .selectExpr(f"CAST(unix_millis(window.start) - {T0} AS LONG) DIV 1000 AS start", "count")
    )
    return counts.writeStream.format("memory").queryName("native").outputMode("append").start()


def _window() -> Any:
    from pyspark.sql import functions

    return functions.window("timestamp", "20 seconds")
