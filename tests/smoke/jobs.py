"""Jobs of each kind in one program, which imports nothing but what is installed.

``python jobs.py SERVERS FOLDER README NUMBERS COUNTS PROBED`` runs the job of the file ``README``, a keyed job of ``ROUNDS``
micro-batches over topic ``NUMBERS``, and a statement of SQL that counts into topic ``COUNTS`` exactly once; then the probes
beside this file, in the same JVM, on topic ``PROBED``, and prints the names of those that fail.
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

from kafkastream.common import SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import KeyedProcessFunction, RuntimeContext, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import KafkaSource
from kafkastream.datastream.state import ValueStateDescriptor
from kafkastream.table import EnvironmentSettings, TableEnvironment
from kafkastream.testing import KafkaBroker

ROUNDS = 4
PROBES = "probes:"
"""Printed to standard error between the jobs and the probes, of which one has a query that is to fail."""


class Count(KeyedProcessFunction[str, str, str]):
    """How many elements of the key there were."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Iterator[str]:
        self.count.update((self.count.value() or 0) + 1)
        yield f"{value} {self.count.value()}"


def keyed_rounds(servers: str, topic: str, rounds: int) -> Iterator[int]:
    """Run a keyed job on two workers, of so many micro-batches at least; how many descriptors the JVM has after each."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    source = KafkaSource.builder().set_bootstrap_servers(servers).set_topics(topic).set_group_id("rounds")
    numbers = env.from_source(
        source.set_value_only_deserializer(SimpleStringSchema()).build(), WatermarkStrategy.no_watermarks(), "numbers"
    )
    keyed = numbers.key_by(lambda number: number, Types.STRING())
    with keyed.process(Count(), Types.STRING()).execute_and_collect("rounds") as counts:
        for number in range(1, rounds + 1):
            KafkaBroker(servers).produce(topic, ["a", "b"])
            assert sorted((next(counts), next(counts))) == [f"a {number}", f"b {number}"]
            yield descriptors()


def descriptors() -> int:
    """How many files and sockets the JVM has open."""
    from pyspark import SparkContext

    gateway = getattr(SparkContext._active_spark_context, "_gateway")  # noqa: B009 - private
    return len(list(Path("/proc", str(gateway.proc.pid), "fd").iterdir()))


def count_exactly_once(servers: str, folder: Path, source: str, target: str) -> None:
    """Count what is in a topic now, by value, in SQL."""
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", "2").set("execution.checkpointing.dir", folder.as_uri())
    t_env.execute_sql(f"""
        CREATE TABLE numbers (n STRING) WITH (
          'connector' = 'kafka', 'topic' = '{source}', 'properties.bootstrap.servers' = '{servers}', 'format' = 'raw',
          'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset'
        )
    """)
    t_env.execute_sql(f"""
        CREATE TABLE counts (n STRING, many BIGINT NOT NULL, PRIMARY KEY (n) NOT ENFORCED) WITH (
          'connector' = 'upsert-kafka', 'topic' = '{target}', 'properties.bootstrap.servers' = '{servers}',
          'key.format' = 'raw', 'value.format' = 'json', 'sink.delivery-guarantee' = 'exactly-once',
          'sink.transactional-id-prefix' = 'counts', 'properties.transaction.timeout.ms' = '60000'
        )
    """)
    t_env.execute_sql("INSERT INTO counts SELECT n, COUNT(*) FROM numbers GROUP BY n").wait()


def main(servers: str, folder: str, readme: str, numbers: str, counts: str, probed: str) -> None:
    runpy.run_path(readme)
    print(*keyed_rounds(servers, numbers, ROUNDS))  # noqa: T201
    count_exactly_once(servers, Path(folder, "checkpoints"), numbers, counts)
    print(PROBES, file=sys.stderr, flush=True)  # noqa: T201
    probes = runpy.run_path(str(Path(__file__).with_name("probes.py")))
    print("failed:", *probes["failures"](servers, probed, Path(folder)))  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
