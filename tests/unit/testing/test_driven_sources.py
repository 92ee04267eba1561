"""Sources of driven jobs: collections, numbers, files; topics by name, pattern and partition; several partitions."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kafkastream import KafkaSource, SimpleStringSchema, StreamExecutionEnvironment, Types, WatermarkStrategy
from kafkastream.common import Duration, Time
from kafkastream.common.watermark_strategy import TimestampAssigner
from kafkastream.datastream import RuntimeExecutionMode
from kafkastream.datastream.connectors.data_gen import DataGeneratorSource
from kafkastream.datastream.connectors.file_system import FileSource, StreamFormat
from kafkastream.datastream.connectors.kafka import KafkaSourceBuilder, KafkaSubscriber, TopicPartition
from kafkastream.datastream.connectors.number_seq import NumberSequenceSource
from kafkastream.datastream.formats.csv import CsvReaderFormat, CsvSchema
from kafkastream.datastream.formats.parquet import ParquetColumnarRowInputFormat
from kafkastream.datastream.window import TumblingEventTimeWindows
from kafkastream.errors import DefinitionError, StorageError, UnsupportedFeatureError, UserFunctionError
from kafkastream.table import DataTypes
from kafkastream.testing import JobTestDriver


def environment() -> StreamExecutionEnvironment:
    return StreamExecutionEnvironment.get_execution_environment().set_parallelism(1)


def printed(source: Any, type_info: Any = None) -> list[str]:
    env = environment()
    env.from_source(source, WatermarkStrategy.no_watermarks(), "in", type_info).print()
    with JobTestDriver.of(env) as driver:
        return driver.printed


def kafka(subscribe: Callable[[KafkaSourceBuilder[Any]], Any]) -> StreamExecutionEnvironment:
    env = environment()
    builder = KafkaSource.builder().set_bootstrap_servers("broker:9092")
    subscribe(builder)
    source = builder.set_value_only_deserializer(SimpleStringSchema()).build()
    env.from_source(source, WatermarkStrategy.no_watermarks(), "in").print()
    return env


def test_bounded_sources_run_by_themselves() -> None:
    env = environment()
    env.from_collection([(1, "one"), (2, "two")], Types.TUPLE([Types.INT(), Types.STRING()])).print()
    with JobTestDriver.of(env) as driver:
        assert driver.printed == ["(1,one)", "(2,two)"]
        with pytest.raises(DefinitionError, match="has its elements itself"):
            driver.source("Collection Source")
    assert printed(NumberSequenceSource(-1, 2)) == ["-1", "0", "1", "2"]
    assert printed(DataGeneratorSource(lambda number: f"number {number}", 2, Types.STRING())) == [
        "number 0",
        "number 1",
    ]
    assert len(printed(NumberSequenceSource(1, 25_000))) == 25_000


def test_windows_of_a_collection_fire_at_its_end() -> None:
    class Seconds(TimestampAssigner):
        def extract_timestamp(self, value: int, record_timestamp: int) -> int:
            return value * 1_000

    env = environment()
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Seconds())
    numbers = env.from_collection([1, 2, 61, 3], Types.INT()).assign_timestamps_and_watermarks(strategy)
    numbers.key_by(lambda _: "all").window(TumblingEventTimeWindows.of(Time.minutes(1))).reduce(max).print()
    with JobTestDriver.of(env) as driver:
        assert driver.printed == ["3", "61"]


def test_batch_mode_gives_one_result_for_each_key() -> None:
    env = environment().set_runtime_mode(RuntimeExecutionMode.BATCH)
    env.from_collection([1, 2, 3], Types.INT()).key_by(lambda n: n % 2).reduce(lambda left, right: left + right).print()
    with JobTestDriver.of(env) as driver:
        assert sorted(driver.printed) == ["2", "4"]


def test_elements_that_fail_are_named_as_on_spark() -> None:
    env = environment()
    env.from_collection(["1", "two"], Types.STRING()).map(int, Types.INT()).name("parse").print()
    with pytest.raises(UserFunctionError, match=r"(?s)'parse' raised ValueError.*element 2 of the collection"):
        JobTestDriver.of(env)


def test_files_of_lines_and_of_csv(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"three"))
    (tmp_path / ".hidden").write_text("no")
    lines = FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(tmp_path)).build()
    assert printed(lines) == ["one", "two", "three"]
    csv = tmp_path / "rows.csv"
    csv.write_text("ann,1\nbob,2\n")
    schema = CsvSchema.builder().add_string_column("name").add_number_column("n", DataTypes.INT()).build()
    assert printed(FileSource.for_record_stream_format(CsvReaderFormat.for_schema(schema), str(csv)).build()) == [
        "+I[ann,1]",
        "+I[bob,2]",
    ]


def test_files_of_parquet(tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"name": pa.array(["ann", "bob"]), "n": pa.array([1, 2], pa.int32())}), file)
    row_type = DataTypes.ROW([DataTypes.FIELD("name", DataTypes.STRING()), DataTypes.FIELD("n", DataTypes.INT())])
    reading = ParquetColumnarRowInputFormat(row_type=row_type)
    assert printed(FileSource.for_bulk_file_format(reading, str(file)).build()) == ["+I[ann,1]", "+I[bob,2]"]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    def lines(name: str) -> FileSource:
        return FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(tmp_path / name)).build()

    with pytest.raises(DefinitionError, match="no such file or directory"):
        printed(lines("missing"))
    (tmp_path / "broken.gz").write_bytes(b"no gzip")
    with pytest.raises(StorageError, match=r"cannot read .*broken\.gz"):
        printed(lines("broken.gz"))


def test_lines_need_no_pyspark(tmp_path: Path) -> None:
    (tmp_path / "lines").write_text("one\n")
    program = f"""
import sys
from kafkastream import StreamExecutionEnvironment, WatermarkStrategy
from kafkastream.datastream.connectors.file_system import FileSource, StreamFormat
from kafkastream.testing import JobTestDriver
env = StreamExecutionEnvironment.get_execution_environment()
source = FileSource.for_record_stream_format(StreamFormat.text_line_format(), {str(tmp_path)!r}).build()
env.from_source(source, WatermarkStrategy.no_watermarks(), "in").print()
with JobTestDriver.of(env) as driver:
    print(driver.printed, "pyspark" in sys.modules)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == ("['one'] False\n", "")


def test_topics_of_a_pattern() -> None:
    env = kafka(lambda builder: builder.set_topic_pattern("orders-[a-z]+"))
    with JobTestDriver.of(env, partitions={"orders-eu": 2, "orders-us": 1, "payments": 1}) as driver:
        assert [str(split) for split in driver.source("in").partitions] == ["orders-eu-0", "orders-eu-1", "orders-us-0"]
        driver.send("orders-eu", "a", partition=1)
        driver.source("orders-us").send("b", topic="orders-us")
        assert driver.printed == ["a", "b"]
        with pytest.raises(DefinitionError, match="the job reads no topic 'payments'"):
            driver.send("payments", "c")
    with pytest.raises(UnsupportedFeatureError, match=r"Python's regular expressions"):
        JobTestDriver.of(kafka(lambda builder: builder.set_topic_pattern("(?<name>a)")))


def test_partitions_and_subscribers() -> None:
    class Evens(KafkaSubscriber):
        def get_subscribed_topic_partitions(self, admin_client: Any) -> Collection[TopicPartition]:
            topic = admin_client.list_topics("orders").topics["orders"]
            return {TopicPartition("orders", number) for number in topic.partitions if number % 2 == 0}

    class Others(KafkaSubscriber):
        def get_subscribed_topic_partitions(self, admin_client: Any) -> Collection[TopicPartition]:
            return set(admin_client.list_consumer_groups())

    def chosen(builder: KafkaSourceBuilder[Any]) -> Any:
        return builder.set_partitions({TopicPartition("orders", 2), TopicPartition("orders", 0)})

    def subscribed(builder: KafkaSourceBuilder[Any]) -> Any:
        return builder.set_kafka_subscriber(Evens()).set_property("partition.discovery.interval.ms", "-1")

    for subscribe in (chosen, subscribed):
        with JobTestDriver.of(kafka(subscribe), partitions={"orders": 4, "others": 1}) as driver:
            driver.send("orders", "a", partition=2)
            assert driver.printed == ["a"]
            with pytest.raises(DefinitionError, match=r"(?s)has no partition 1 .*It reads: orders-0, orders-2"):
                driver.send("orders", "b", partition=1)
    with pytest.raises(UnsupportedFeatureError, match="no brokers to ask: list_consumer_groups"):
        JobTestDriver.of(
            kafka(
                lambda builder: builder.set_kafka_subscriber(Others()).set_property(
                    "partition.discovery.interval.ms", "-1"
                )
            )
        )


def test_each_partition_has_a_watermark_and_its_subtask() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    builder = KafkaSource.builder().set_bootstrap_servers("broker:9092").set_topics("in")
    source = builder.set_value_only_deserializer(SimpleStringSchema()).build()
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_idleness(Duration.of_seconds(10))
    stream = env.from_source(source, strategy, "in")
    windows = stream.key_by(str).window(TumblingEventTimeWindows.of(Time.minutes(1)))
    windows.reduce(lambda left, right: f"{left} {right}").uid("windows").print()
    with JobTestDriver.of(env, parallelism=2, partitions={"in": 3}) as driver:
        driver.send("in", "a", timestamp=70_000, partition=0)
        driver.send("in", "b", timestamp=80_000, partition=1)
        assert driver.operator("windows").watermark < 0  # partition 2 has had nothing
        driver.send("in", "a", timestamp=59_000, partition=2)
        assert driver.operator("windows").watermark == 58_999
        driver.advance(9_000)
        for partition, timestamp in enumerate((130_000, 90_000)):
            driver.send("in", "c", timestamp=timestamp, partition=partition)
        driver.advance(1_000)  # partition 2 is idle now
        assert driver.operator("windows").watermark == 89_999
        assert [line.partition("> ")[2] for line in driver.printed] == ["a"]
