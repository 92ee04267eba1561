"""The jobs of a soak: keyed state with timers and TTL, windows, a join, two exactly-once sinks and more, and SQL; or a copy.

``python job.py SERVERS CHECKPOINTS JOB [LEAK]``; with ``LEAK`` its workers open a file in each micro-batch and close none.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, wait
from typing import Any

from kafkastream.common import Configuration, Row, SimpleStringSchema, Time, Types, WatermarkStrategy
from kafkastream.datastream import (
    DataStream,
    KeyedProcessFunction,
    MapFunction,
    ProcessJoinFunction,
    ProcessWindowFunction,
    RuntimeContext,
    StreamExecutionEnvironment,
)
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from kafkastream.datastream.formats.json import JsonRowDeserializationSchema
from kafkastream.datastream.state import StateTtlConfig, ValueStateDescriptor
from kafkastream.datastream.window import TumblingEventTimeWindows
from kafkastream.table import EnvironmentSettings, TableEnvironment
from tests.soak.jobs import LATENCY
from tests.soak.model import INACTIVE_MS, WINDOW_MS

INTERVAL_MS = 2_000
EPOCH_MS = 20_000
ORDER = Types.ROW_NAMED(
    ["id", "customer", "shop", "amount"], [Types.LONG(), Types.STRING(), Types.STRING(), Types.LONG()]
)
NEAR = Time.seconds(10)


class Visit(KeyedProcessFunction[str, Row, str]):
    """Tells how many orders a customer has placed, once there have been none for a while, and forgets the customer.

    The last amount is left to its time to live.
    """

    def open(self, runtime_context: RuntimeContext) -> None:
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))
        self.last_ms = runtime_context.get_state(ValueStateDescriptor("last-ms", Types.LONG()))
        amount = ValueStateDescriptor("amount", Types.LONG())
        amount.enable_time_to_live(StateTtlConfig.new_builder(Time.minutes(1)).build())
        self.amount = runtime_context.get_state(amount)

    def process_element(self, value: Row, ctx: KeyedProcessFunction.Context) -> None:
        time_ms = max(ctx.timestamp() or 0, self.last_ms.value() or 0)
        self.count.update((self.count.value() or 0) + 1)
        self.last_ms.update(time_ms)
        self.amount.update(value.amount)
        ctx.timer_service().register_event_time_timer(time_ms + INACTIVE_MS)

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterator[str]:
        if timestamp == (self.last_ms.value() or 0) + INACTIVE_MS:
            yield f"visit {ctx.get_current_key()} {self.count.value()}"
            self.count.clear()
            self.last_ms.clear()


class Sum(ProcessWindowFunction[Row, str, str, Any]):
    """The amounts of a shop in a window."""

    def process(self, key: str, context: Any, elements: Any) -> Iterator[str]:
        yield f"window {key} {context.window().start} {sum(one.amount for one in elements)}"


class Pair(ProcessJoinFunction[Row, Row, str]):
    """Tells of an order and its payment."""

    def process_element(self, left: Row, right: Row, ctx: ProcessJoinFunction.Context) -> Iterator[str]:
        if left.id == right.id:
            yield f"pair {left.id} {left.customer}"


class Copy(MapFunction):
    """The number of an order; where there is to be a leak, it opens a file in each micro-batch and never closes it."""

    def __init__(self, *, leak: bool) -> None:
        self._leak = leak
        self._next_s = 0.0

    def map(self, value: Row) -> str:
        if self._leak and time.monotonic() > self._next_s:
            os.open("/dev/null", os.O_RDONLY)
            self._next_s = time.monotonic() + 1
        return f"copy {value.id}"


def environment(checkpoints: str) -> StreamExecutionEnvironment:
    """The environment of a job on streams."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.enable_checkpointing(INTERVAL_MS).get_checkpoint_config().set_checkpoint_storage_dir(checkpoints)
    env.set_parallelism(2)
    return env


def copies(servers: str, checkpoints: str, *, leak: bool) -> StreamExecutionEnvironment:
    """A copy in latency mode, with short epochs, since each could leave something."""
    env = environment(checkpoints)
    env.set_buffer_timeout(0)
    env.configure(Configuration().set_string("kafkastream.latency.epoch", f"{EPOCH_MS} ms"))
    copy(read(env, servers, "orders"), servers, leak=leak)
    return env


def copy(orders: DataStream[Row], servers: str, *, leak: bool) -> None:
    """Write the number of each order."""
    orders.map(Copy(leak=leak), Types.STRING()).sink_to(sink(servers, "copies")).name("copies")


def streams(servers: str, checkpoints: str, *, leak: bool) -> StreamExecutionEnvironment:
    """The job on streams."""
    env = environment(checkpoints)
    orders, payments = (read(env, servers, topic) for topic in ("orders", "payments"))
    visits = orders.key_by(lambda one: one.customer).process(Visit(), Types.STRING()).name("visits")
    shops = orders.key_by(lambda one: one.shop)
    windows = shops.window(TumblingEventTimeWindows.of(Time.milliseconds(WINDOW_MS))).process(Sum(), Types.STRING())
    paid = orders.key_by(lambda one: one.id).interval_join(payments.key_by(lambda one: one.id))
    pairs = paid.between(Time.seconds(0), NEAR).process(Pair(), Types.STRING())
    visits.union(windows).sink_to(sink(servers, "results")).name("results")
    pairs.sink_to(sink(servers, "pairs")).name("pairs")
    copy(orders, servers, leak=leak)
    return env


def read(env: StreamExecutionEnvironment, servers: str, topic: str) -> DataStream[Row]:
    """The orders or payments, without the records that only move the time."""
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers(servers)
        .set_topics(topic)
        .set_group_id("soak")
        .set_starting_offsets(KafkaOffsetsInitializer.earliest())
        .set_value_only_deserializer(JsonRowDeserializationSchema.builder().type_info(ORDER).build())
        .build()
    )
    strategy: WatermarkStrategy[Row] = WatermarkStrategy.for_monotonous_timestamps()
    return env.from_source(source, strategy, topic).filter(lambda one: one.id >= 0)


def sink(servers: str, topic: str) -> KafkaSink[str]:
    """An exactly-once sink of text."""
    schema = KafkaRecordSerializationSchema.builder().set_topic(topic)
    return (
        KafkaSink.builder()
        .set_bootstrap_servers(servers)
        .set_record_serializer(schema.set_value_serialization_schema(SimpleStringSchema()).build())
        .set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE)
        .set_transactional_id_prefix("soak")
        .build()
    )


def tables(servers: str, checkpoints: str) -> TableEnvironment:
    """The tables of the job in SQL."""
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    config = t_env.get_config()
    config.set("execution.checkpointing.interval", f"{INTERVAL_MS} ms")
    config.set("execution.checkpointing.dir", checkpoints)
    config.set("parallelism.default", "2")
    config.set("pipeline.name", "soak in SQL")
    t_env.execute_sql(f"""
        CREATE TABLE orders (id BIGINT, shop STRING, amount BIGINT) WITH (
          'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = '{servers}',
          'properties.group.id' = 'soak-sql', 'scan.startup.mode' = 'earliest-offset', 'format' = 'json'
        )
    """)
    t_env.execute_sql(f"""
        CREATE TABLE totals (shop STRING, orders BIGINT, amount BIGINT, PRIMARY KEY (shop) NOT ENFORCED) WITH (
          'connector' = 'upsert-kafka', 'topic' = 'totals', 'properties.bootstrap.servers' = '{servers}',
          'key.format' = 'raw', 'value.format' = 'json'
        )
    """)
    return t_env


def main(servers: str, checkpoints: str, job: str, leak: str = "") -> None:
    if job == LATENCY:
        copies(servers, checkpoints, leak=bool(leak)).execute("soak in latency mode")
        return
    of_streams = streams(servers, checkpoints, leak=bool(leak)).execute_async("soak")
    totals = "INSERT INTO totals SELECT shop, COUNT(*), SUM(amount) FROM orders WHERE id >= 0 GROUP BY shop"
    of_tables = tables(servers, checkpoints).execute_sql(totals).get_job_client()
    assert of_tables is not None
    results = [client.get_job_execution_result() for client in (of_streams, of_tables)]
    ended, _ = wait(results, return_when=FIRST_COMPLETED)  # neither ends by itself
    ended.pop().result()


if __name__ == "__main__":
    main(*sys.argv[1:])
