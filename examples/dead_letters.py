"""Add up orders per record, and keep what is no order in a topic of its own instead of failing.

Run it, for example with a broker of `kafkastream broker --topic in --topic out --topic dead`:

    kafkastream run examples/dead_letters.py --bootstrap-servers localhost:9092 --input in --output out --dead dead

Orders look like `{"id": 7, "prices": [3, 4]}`. Each dead letter is the record as it was read; its headers say why.
"""

from __future__ import annotations

import argparse

from kafkastream.common import Row, Types, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from kafkastream.datastream.formats.json import JsonRowDeserializationSchema, JsonRowSerializationSchema

ORDER = Types.ROW_NAMED(["id", "prices"], [Types.LONG(), Types.LIST(Types.LONG())])
TOTAL = Types.ROW_NAMED(["id", "total"], [Types.LONG(), Types.INT()])


def total(order: Row) -> Row:
    """Return the sum of an order's prices; one that does not fit TOTAL's int makes the record a dead letter."""
    return Row(id=order.id, total=sum(order.prices))


def main(bootstrap_servers: str, topic_in: str, topic_out: str, topic_dead: str) -> None:
    """Read all orders that exist now."""
    env = StreamExecutionEnvironment.get_execution_environment()
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers(bootstrap_servers)
        .set_topics(topic_in)
        .set_bounded(KafkaOffsetsInitializer.latest())
        .set_value_only_deserializer(JsonRowDeserializationSchema.builder().type_info(ORDER).build())
        .set_dead_letter_topic(topic_dead)
        .build()
    )
    sink = (
        KafkaSink.builder()
        .set_bootstrap_servers(bootstrap_servers)
        .set_record_serializer(
            KafkaRecordSerializationSchema.builder()
            .set_topic(topic_out)
            .set_value_serialization_schema(JsonRowSerializationSchema.builder().with_type_info(TOTAL).build())
            .build()
        )
        .set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE)
        .set_dead_letter_topic(topic_dead)
        .build()
    )
    orders = env.from_source(source, WatermarkStrategy.no_watermarks(), "orders")
    orders.map(total, TOTAL).sink_to(sink).name("totals")
    env.execute("totals")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Add up orders, and keep what is no order.")
    parser.add_argument("--bootstrap-servers", default="localhost:9092")
    parser.add_argument("--input", default="in")
    parser.add_argument("--output", default="out")
    parser.add_argument("--dead", default="dead", help="the topic of dead letters (%(default)s)")
    arguments = parser.parse_args()
    main(arguments.bootstrap_servers, arguments.input, arguments.output, arguments.dead)
