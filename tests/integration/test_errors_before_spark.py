"""Mistakes are told before Spark starts, by a process of its own that has started nothing yet."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from kafkastream.testing import KafkaBroker

_PROGRAM = """
import sys, time
from kafkastream.common import WatermarkStrategy
from kafkastream.common.serialization import SimpleStringSchema
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSource
from kafkastream.errors import KafkastreamError
from kafkastream.table import EnvironmentSettings, TableEnvironment

servers, kind = sys.argv[1:]
began = time.process_time()
t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
topic = "'connector' = 'kafka', 'properties.bootstrap.servers' = '" + servers + "', 'format' = 'json'"
earliest = topic + ", 'topic' = 'not-there', 'scan.startup.mode' = 'earliest-offset'"
t_env.execute_sql("CREATE TABLE orders (id BIGINT, name STRING) WITH (" + earliest + ")")
t_env.execute_sql("CREATE TABLE seen (id BIGINT) WITH ('connector' = 'print')")
t_env.execute_sql("CREATE TABLE odd (id BIGINT) WITH (" + topic + ", 'topic' = 't', 'scan.startup.mod' = 'x')")


def stream():
    env = StreamExecutionEnvironment.get_execution_environment()
    source = (
        KafkaSource.builder().set_bootstrap_servers(servers).set_topics("not-there")
        .set_starting_offsets(KafkaOffsetsInitializer.earliest())
        .set_value_only_deserializer(SimpleStringSchema()).build()
    )
    env.from_source(source, WatermarkStrategy.no_watermarks(), "source").print()
    env.execute()


wrong = {
    "column": lambda: t_env.execute_sql("INSERT INTO seen SELECT nobody FROM orders"),
    "type": lambda: t_env.execute_sql("INSERT INTO seen SELECT name FROM orders"),
    "option": lambda: t_env.execute_sql("SELECT id FROM odd"),
    "topic": lambda: t_env.execute_sql("SELECT id FROM orders"),
    "inserted topic": lambda: t_env.execute_sql("INSERT INTO seen SELECT id FROM orders"),
    "stream": stream,
}
try:
    wrong[kind]()
except KafkastreamError as error:
    print(time.process_time() - began, "pyspark" in sys.modules, str(error).replace(chr(10), " "))
"""


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("column", "Column 'nobody' not found"),
        ("type", "Incompatible types for sink column 'id'"),
        ("option", "scan.startup.mod"),
        ("topic", "topic not-there does not exist"),
        ("inserted topic", "topic not-there does not exist"),
        ("stream", "topic not-there does not exist"),
    ],
)
def test_mistake_is_told_without_spark(kind: str, told: str, kafka: KafkaBroker) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, kafka.bootstrap_servers, kind],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "JAVA_HOME": "/nowhere"},
    )
    seconds, has_spark, message = done.stdout.strip().split(" ", 2)
    assert told in message
    assert has_spark == "False"
    assert float(seconds) < 1
