"""``kafkastream demo``: runs a small job from topic to topic, and shows its result."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from kafkastream import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
    SimpleStringSchema,
    StreamExecutionEnvironment,
    Types,
    WatermarkStrategy,
)

if TYPE_CHECKING:
    from kafkastream.testing import KafkaBroker

__all__ = ["demo_command"]

ORDERS = tuple(
    map(
        json.dumps,
        (
            {
                "order_id": "202103241000000001",
                "order_channel": "webShop",
                "order_time": "2021-03-24 10:00:00",
                "pay_amount": "100.00",
                "real_pay": "100.00",
                "pay_time": "2021-03-24 10:02:03",
                "user_id": "0001",
                "user_name": "Alice",
                "area_id": "330106",
            },
            {
                "order_id": "202103241606060001",
                "order_channel": "appShop",
                "order_time": "2021-03-24 16:06:06",
                "pay_amount": "200.00",
                "real_pay": "180.00",
                "pay_time": "2021-03-24 16:10:06",
                "user_id": "0001",
                "user_name": "Alice",
                "area_id": "330106",
            },
            {
                "order_id": "202103251202020001",
                "order_channel": "miniAppShop",
                "order_time": "2021-03-25 12:02:02",
                "pay_amount": "60.00",
                "real_pay": "60.00",
                "pay_time": "2021-03-25 12:03:00",
                "user_id": "0002",
                "user_name": "Bob",
                "area_id": "330110",
            },
        ),
    )
)
SHOWN = ("order_id", "order_channel", "user_name", "real_pay")


@click.command("demo", epilog="\b\nExample:\n  kafkastream demo\n  kafkastream demo --bootstrap-servers localhost:9092")
@click.option(
    "--bootstrap-servers",
    metavar="HOST:PORT",
    help="Use two new topics on these brokers instead of starting a broker.",
)
def demo_command(bootstrap_servers: str | None) -> None:
    """Run a demo job on Kafka and print its result.

    The demo writes three orders to a topic, filters them with a job on Spark, and reads the result back. Without
    --bootstrap-servers, a broker runs for the time of the demo.
    Missing jars are downloaded on first use: about 50 MB.
    """
    from kafkastream.spark.job.job_lines import run_by_command

    console, notes = Console(), Console(stderr=True)
    run = uuid.uuid4().hex[:8]
    orders, large = f"orders-{run}", f"large-orders-{run}"
    with _demo_broker(bootstrap_servers, notes) as kafka:
        for topic in (orders, large):
            kafka.create_topic(topic)
        kafka.produce(orders, ORDERS)
        console.print(_orders_table(f"went in: topic {orders}", ORDERS))
        with notes.status("Spark starts, and runs the job …"), run_by_command(quiet=True):
            filter_orders(kafka.bootstrap_servers, orders, large)
        results = [record.value.decode() for record in kafka.consume(large) if record.value is not None]
        console.print(_orders_table(f"came out: topic {large}", results))


def filter_orders(bootstrap_servers: str, orders: str, large: str) -> None:
    """Copy the orders for which 100 or more was paid from one topic to another."""
    env = StreamExecutionEnvironment.get_execution_environment()
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers(bootstrap_servers)
        .set_topics(orders)
        .set_group_id("kafkastream-demo")
        .set_starting_offsets(KafkaOffsetsInitializer.earliest())
        .set_bounded(KafkaOffsetsInitializer.latest())
        .set_value_only_deserializer(SimpleStringSchema())
        .build()
    )
    serializer = KafkaRecordSerializationSchema.builder().set_topic(large)
    sink = (
        KafkaSink.builder()
        .set_bootstrap_servers(bootstrap_servers)
        .set_record_serializer(serializer.set_value_serialization_schema(SimpleStringSchema()).build())
        .set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE)
        .build()
    )
    (
        env.from_source(source, WatermarkStrategy.no_watermarks(), "orders")
        .map(json.loads)
        .filter(lambda order: float(order["real_pay"]) >= 100)
        .map(json.dumps, Types.STRING())
        .sink_to(sink)
    )
    env.execute("large orders")


@contextmanager
def _demo_broker(bootstrap_servers: str | None, notes: Console) -> Iterator[KafkaBroker]:
    from kafkastream.testing import EmbeddedKafka, KafkaBroker

    if bootstrap_servers is not None:
        yield KafkaBroker(bootstrap_servers)
        return
    embedded = EmbeddedKafka()
    with notes.status("Kafka starts …"):
        embedded.start()
    try:
        yield embedded
    finally:
        embedded.stop()


def _orders_table(title: str, orders: Iterable[str]) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    for column in SHOWN:
        table.add_column(column, justify="right" if column == "real_pay" else "left", no_wrap=True)
    for order in map(json.loads, orders):
        table.add_row(*(order[column] for column in SHOWN))
    return table
