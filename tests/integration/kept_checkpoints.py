"""Write the checkpoint that ``test_kept_checkpoints.py`` goes on with: ``python -m tests.integration.kept_checkpoints``.

It is kept as this version wrote it, and each later version is to read it. A new one is written beside it, never over it.
"""

from __future__ import annotations

import json
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeAlias

import attrs

from kafkastream.common import Row, SimpleStringSchema, Time, Types, WatermarkStrategy
from kafkastream.common.job_client import JobClient
from kafkastream.datastream import (
    AggregateFunction,
    DataStream,
    KeyedProcessFunction,
    ProcessJoinFunction,
    ProcessWindowFunction,
    RuntimeContext,
    StreamExecutionEnvironment,
)
from kafkastream.datastream.connectors.kafka import (
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from kafkastream.datastream.formats.json import JsonRowDeserializationSchema
from kafkastream.datastream.state import ListStateDescriptor, MapStateDescriptor, ValueStateDescriptor
from kafkastream.datastream.window import EventTimeSessionWindows, TumblingEventTimeWindows
from kafkastream.errors import KafkaError
from kafkastream.spark.checkpoint.record import FORMAT
from kafkastream.table import EnvironmentSettings, TableEnvironment
from kafkastream.testing import EmbeddedKafka, KafkaBroker, Record, wait_until

KEPT: Final = Path(__file__).with_name("kept")
ORDERS, PAYMENTS, RESULTS, TOTALS = "kept-orders", "kept-payments", "kept-results", "kept-totals"
T0: Final = 1_700_000_000_000

Round: TypeAlias = Mapping[str, Sequence[tuple[str, int, int]]]
"""Records by topic: who, how much, and how many ms after ``T0``."""
ROUNDS: Final[Sequence[Round]] = (
    {
        ORDERS: [("ann", 5, 0), ("bob", 7, 1_000), ("ann", 2, 2_000)],
        PAYMENTS: [("ann", 50, 500), ("cid", 1, 2_000)],
    },
    {
        ORDERS: [("ann", 1, 3_000), ("end", 0, 60_000)],
        PAYMENTS: [("bob", 70, 2_500), ("end", 0, 60_000)],
    },
)
"""What was read before the checkpoint, and what comes after it."""

RESULTS_OF: Final = (
    {"visit ann 1 [5]", "visit bob 1 [7]", "visit ann 2 [5, 2]", "pair ann 5 50", "pair ann 2 50"},
    {
        *("visit ann 3 [5, 2, 1]", "visit end 1 [0]", "timer ann {5: 1, 2: 1, 1: 1}", "timer bob {7: 1}"),
        *("window ann 8", "window bob 7", "session ann 3", "session bob 1", "pair ann 1 50", "pair bob 7 70"),
        "pair end 0 0",
    },
)
TOTALS_OF: Final = ({"ann": [2, 7, 5], "bob": [1, 7, 7]}, {"ann": [3, 8, 5], "end": [1, 0, 0]})


class Visit(KeyedProcessFunction[str, Row, str]):
    """Keeps each kind of state, and a timer."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))
        self.amounts = runtime_context.get_list_state(ListStateDescriptor("amounts", Types.LONG()))
        self.often = runtime_context.get_map_state(MapStateDescriptor("often", Types.LONG(), Types.LONG()))
        self.long = runtime_context.get_state(ValueStateDescriptor("long", Types.STRING()))  # which format 2 compresses

    def process_element(self, value: Row, ctx: KeyedProcessFunction.Context) -> Iterator[str]:
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        self.long.update(f"{self.long.value() or ''}{count}" * 1000)
        self.amounts.add(value.amount)
        self.often.put(value.amount, (self.often.get(value.amount) or 0) + 1)
        if value.who != "end":
            ctx.timer_service().register_event_time_timer(T0 + 20_000)
        yield f"visit {value.who} {count} {list(self.amounts.get() or ())}"

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterator[str]:
        yield f"timer {ctx.get_current_key()} {dict(self.often.items())}"


class Sum(AggregateFunction[Row, int, int]):
    """The amounts of a window."""

    def create_accumulator(self) -> int:
        return 0

    def add(self, value: Row, accumulator: int) -> int:
        return accumulator + int(value.amount)

    def get_result(self, accumulator: int) -> int:
        return accumulator

    def merge(self, acc_a: int, acc_b: int) -> int:
        return acc_a + acc_b


class Told(ProcessWindowFunction[int, str, str, Any]):
    """Tells of a window's sum."""

    def process(self, key: str, context: Any, elements: Any) -> Iterator[str]:
        yield f"window {key} {next(iter(elements))}"


class Session(ProcessWindowFunction[Row, str, str, Any]):
    """Tells of a session's length."""

    def process(self, key: str, context: Any, elements: Any) -> Iterator[str]:
        yield f"session {key} {len(list(elements))}"


class Pair(ProcessJoinFunction[Row, Row, str]):
    """Tells of an order and a payment."""

    def process_element(self, left: Row, right: Row, ctx: ProcessJoinFunction.Context) -> Iterator[str]:
        yield f"pair {left.who} {left.amount} {right.amount}"


def started(servers: str, checkpoints: Path) -> Sequence[JobClient]:
    """Start the jobs, of streams and of SQL."""
    totals = tables(servers, checkpoints).execute_sql(
        f"INSERT INTO `{TOTALS}` SELECT who, COUNT(*), SUM(amount), MAX(amount) FROM `{ORDERS}` GROUP BY who"
    )
    of_tables = totals.get_job_client()
    assert of_tables is not None
    return [streams(servers, checkpoints).execute_async("kept streams"), of_tables]


def streams(servers: str, checkpoints: Path) -> StreamExecutionEnvironment:
    """State of each kind, timers, windows, sessions and a join."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.enable_checkpointing(100).get_checkpoint_config().set_checkpoint_storage_dir(checkpoints.as_uri())
    env.set_parallelism(1)
    orders, payments = (read(env, servers, topic) for topic in (ORDERS, PAYMENTS))
    by_who = orders.key_by(lambda one: one.who, Types.STRING())
    visits = by_who.process(Visit(), Types.STRING()).name("visits").uid("visits")
    tumbling = by_who.window(TumblingEventTimeWindows.of(Time.seconds(10)))
    windows = tumbling.aggregate(Sum(), Told(), Types.LONG(), Types.STRING()).name("windows").uid("windows")
    near = by_who.window(EventTimeSessionWindows.with_gap(Time.seconds(5)))
    sessions = near.process(Session(), Types.STRING()).name("sessions").uid("sessions")
    paid = by_who.interval_join(payments.key_by(lambda one: one.who, Types.STRING()))
    pairs = paid.between(Time.seconds(-10), Time.seconds(10)).process(Pair(), Types.STRING()).name("pairs").uid("pairs")
    schema = KafkaRecordSerializationSchema.builder().set_topic(RESULTS)
    sink = KafkaSink.builder().set_bootstrap_servers(servers)
    sink.set_record_serializer(schema.set_value_serialization_schema(SimpleStringSchema()).build())
    visits.union(windows, sessions, pairs).sink_to(sink.build()).name("results")
    return env


def read(env: StreamExecutionEnvironment, servers: str, topic: str) -> DataStream[Row]:
    """The rows of a topic, by their records' time."""
    rows = Types.ROW_NAMED(["who", "amount"], [Types.STRING(), Types.LONG()])
    source = KafkaSource.builder().set_bootstrap_servers(servers).set_topics(topic).set_group_id("kept")
    source.set_starting_offsets(KafkaOffsetsInitializer.earliest())
    source.set_value_only_deserializer(JsonRowDeserializationSchema.builder().type_info(rows).build())
    in_order: WatermarkStrategy[Row] = WatermarkStrategy.for_monotonous_timestamps()
    return env.from_source(source.build(), in_order, topic).uid(topic)


def table_environment(checkpoints: Path, name: str) -> TableEnvironment:
    """Return an environment whose one job has a name and a checkpoint each 100 ms."""
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    config = t_env.get_config()
    config.set("execution.checkpointing.interval", "100 ms").set("execution.checkpointing.dir", checkpoints.as_uri())
    config.set("parallelism.default", "1").set("pipeline.name", name)
    return t_env


def tables(servers: str, checkpoints: Path) -> TableEnvironment:
    """Totals by SQL."""
    t_env = table_environment(checkpoints, "kept tables")
    options = f"'properties.bootstrap.servers' = '{servers}'"
    t_env.execute_sql(f"""
        CREATE TABLE `{ORDERS}` (who STRING, amount BIGINT) WITH (
          'connector' = 'kafka', 'topic' = '{ORDERS}', {options}, 'format' = 'json', 'scan.startup.mode' = 'earliest-offset'
        )
    """)
    t_env.execute_sql(f"""
        CREATE TABLE `{TOTALS}` (
          who STRING, orders BIGINT, amount BIGINT, most BIGINT, PRIMARY KEY (who) NOT ENFORCED
        ) WITH (
          'connector' = 'upsert-kafka', 'topic' = '{TOTALS}', {options}, 'key.format' = 'raw', 'value.format' = 'json'
        )
    """)
    return t_env


def await_round(kafka: KafkaBroker, round_: int) -> None:
    """Wait until everything is there that a round leads to.

    Raises:
        TimeoutError: Something is missing.
    """
    wait_until(lambda: results(kafka) >= RESULTS_OF[round_], 120, "the results")
    wait_until(lambda: {**totals(kafka), **TOTALS_OF[round_]} == totals(kafka), 120, "the totals")


def results(kafka: KafkaBroker) -> set[str]:
    """What the job on streams has written."""
    return {(record.value or b"").decode() for record in kafka.consume(RESULTS)}


def totals(kafka: KafkaBroker) -> dict[str, list[int]]:
    """What the job of SQL has written last, by key."""
    rows = (json.loads(record.value) for record in kafka.consume(TOTALS) if record.value)
    return {row["who"]: [row["orders"], row["amount"], row["most"]] for row in rows}


@attrs.frozen
class KeptJobs:
    """Jobs of which a checkpoint is kept."""

    folder: Path
    topics: Sequence[str]
    rounds: Sequence[Round]
    started: Callable[[str, Path], Sequence[JobClient]]
    await_round: Callable[[KafkaBroker, int], None]

    def create_topics(self, kafka: KafkaBroker) -> None:
        """Create the jobs' topics, which keep old records, too; those of another format's checkpoint are replaced."""
        for topic in self.topics:
            with suppress(KafkaError):
                kafka.delete_topic(topic)
            kafka.create_topic(topic, config={"retention.ms": "-1"})

    def produce(self, kafka: KafkaBroker, round_: int) -> None:
        """Write the records of a round."""
        for topic, records in self.rounds[round_].items():
            values = [(who, json.dumps({"who": who, "amount": amount}), T0 + after) for who, amount, after in records]
            kafka.produce(topic, [Record(value, key=who, timestamp_ms=time) for who, value, time in values])

    def keep(self) -> None:
        """Run the first round, and keep what the checkpoint directory then holds."""
        with EmbeddedKafka() as kafka, tempfile.TemporaryDirectory() as name:
            self.create_topics(kafka)
            self.produce(kafka, 0)
            jobs = self.started(kafka.bootstrap_servers, Path(name))
            self.await_round(kafka, 0)
            for job in jobs:
                job.cancel().result()
            self.folder.mkdir(exist_ok=True)
            with tarfile.open(self.folder / f"format-{FORMAT}.tar.gz", "x:gz") as archive:
                archive.add(name, arcname=".")


JOBS: Final = KeptJobs(KEPT, (ORDERS, PAYMENTS, RESULTS, TOTALS), ROUNDS, started, await_round)

if __name__ == "__main__":
    JOBS.keep()
