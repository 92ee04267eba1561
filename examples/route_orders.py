"""Write each order to the topic of its kind, with a key and a header.

Run it, for example with a broker of `kafkastream broker --topic in:4 --topic out-book:4 --topic out-toy:4`:

    kafkastream run examples/route_orders.py --bootstrap-servers localhost:9092 --input in --output out

Orders look like `{"id": 7, "kind": "book", "source": "web"}`.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from kafkastream.common import SerializationSchema, SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    HeaderProvider,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)

Order = dict[str, Any]


class Id(SerializationSchema[Order]):
    """Key of the record: equal ids are written to the same partition."""

    def serialize(self, element: Order) -> bytes:
        """The id as text."""
        return str(element["id"]).encode()


class Json(SerializationSchema[Order]):
    """Value of the record."""

    def serialize(self, element: Order) -> bytes:
        """The order as JSON."""
        return json.dumps(element).encode()


class Source(HeaderProvider[Order]):
    """Header with the origin of the order."""

    def get_headers(self, element: Order) -> tuple[tuple[str, bytes | None], ...]:
        """One header."""
        return (("source", str(element["source"]).encode()),)


def main(bootstrap_servers: str, topic_in: str, topic_out: str) -> None:
    """Route every order."""
    env = StreamExecutionEnvironment.get_execution_environment()
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers(bootstrap_servers)
        .set_topics(topic_in)
        .set_bounded(KafkaOffsetsInitializer.latest())
        .set_value_only_deserializer(SimpleStringSchema())
        .build()
    )
    sink = (
        KafkaSink.builder()
        .set_bootstrap_servers(bootstrap_servers)
        .set_record_serializer(
            KafkaRecordSerializationSchema.builder()
            .set_topic_selector(lambda order: f"{topic_out}-{order['kind']}")
            .set_key_serialization_schema(Id())
            .set_value_serialization_schema(Json())
            .set_header_provider(Source())
            .build()
        )
        .set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE)
        .build()
    )
    orders = env.from_source(source, WatermarkStrategy.no_watermarks(), "in").map(
        json.loads, Types.PICKLED_BYTE_ARRAY()
    )
    orders.sink_to(sink)
    env.execute("route-orders")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write each order to a topic of its kind.")
    parser.add_argument("--bootstrap-servers", default="localhost:9092")
    parser.add_argument("--input", default="in")
    parser.add_argument("--output", default="out", help="how the topics' names begin")
    arguments = parser.parse_args()
    main(arguments.bootstrap_servers, arguments.input, arguments.output)
