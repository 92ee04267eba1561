"""Adds the total to each order, in JSON.

Ported by kafkastream port from Orders.java.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import attrs
from kafkastream.common import DeserializationSchema, SerializationSchema, SimpleStringSchema, WatermarkStrategy
from kafkastream.datastream import MapFunction, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
    OffsetsInitializer,
)
from kafkastream.datastream.formats.json import object_of_json, resolve_annotations
from kafkastream.util.java_values import java_text


@attrs.define(eq=False)
class Item:
    name: str = attrs.field(default=None)
    count: int = 0
    price: float = 0.0


@attrs.define(eq=False)
class Order:
    orderId: int = 0
    customer: str = attrs.field(default=None)
    items: list[Item] = attrs.field(factory=list)

    def total(self) -> float:
        total = 0.0
        for item in self.items:
            total += item.count * item.price
        return total


class OrderSchema(DeserializationSchema):
    def deserialize(self, message: bytes) -> Order:
        return object_of_json(message, Order, ignore_unknown=True)


class ToJson(MapFunction):
    def map(self, order: Order) -> str:
        node: Any = {}
        node["id"] = order.orderId
        node["total"] = order.total()
        return json.dumps(node, separators=(",", ":"), ensure_ascii=False)


resolve_annotations(Order)


def main(args: list[str]) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers(args[0])
        .set_topics(args[1])
        .set_starting_offsets(OffsetsInitializer.earliest())
        .set_bounded(OffsetsInitializer.latest())
        .set_value_only_deserializer(OrderSchema())
        .build()
    )

    class MySerializationSchema(SerializationSchema):
        def serialize(self, json_: str) -> bytes:
            node = json.loads(json_)
            return java_text(node.get("id")).encode()

    sink = (
        KafkaSink.builder()
        .set_bootstrap_servers(args[0])
        .set_record_serializer(
            KafkaRecordSerializationSchema.builder()
            .set_topic(args[2])
            .set_key_serialization_schema(MySerializationSchema())
            .set_value_serialization_schema(SimpleStringSchema())
            .build()
        )
        .build()
    )
    (
        env.from_source(source, WatermarkStrategy.no_watermarks(), "orders")
        .filter(lambda order: order.customer is not None)
        .map(ToJson())
        .sink_to(sink)
    )
    env.execute("orders")


if __name__ == "__main__":
    main(sys.argv[1:])
