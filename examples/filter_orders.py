"""Read orders, keep the large ones, and write them to another topic.

The Flink original:

    env.fromSource(source, WatermarkStrategy.noWatermarks(), "orders")
       .filter(order -> mapper.readTree(order).get("real_pay").asDouble() >= 100)
       .sinkTo(sink);

Run it, for example with a broker of `kafkastream broker --topic in:4 --topic out:4`:

    python examples/filter_orders.py --bootstrap-servers localhost:9092 --input in --output out
    kafkastream run examples/filter_orders.py --bootstrap-servers localhost:9092 --input in --output out
    spark-submit --jars "$(kafkastream jars)" examples/filter_orders.py --bootstrap-servers localhost:9092 --input in --output out
"""

from __future__ import annotations

import argparse
import json

from kafkastream.common import SimpleStringSchema, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)


def main(bootstrap_servers: str, topic_in: str, topic_out: str) -> None:
    """Copy the orders for which 100 or more was paid."""
    env = StreamExecutionEnvironment.get_execution_environment()
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers(bootstrap_servers)
        .set_topics(topic_in)
        .set_group_id("filter-orders")
        .set_starting_offsets(KafkaOffsetsInitializer.earliest())
        .set_bounded(KafkaOffsetsInitializer.latest())
        .set_value_only_deserializer(SimpleStringSchema())
        .build()
    )
    sink = (
        KafkaSink.builder()
        .set_bootstrap_servers(bootstrap_servers)
        .set_record_serializer(
            KafkaRecordSerializationSchema.builder()
            .set_topic(topic_out)
            .set_value_serialization_schema(SimpleStringSchema())
            .build()
        )
        .set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE)
        .build()
    )
    env.from_source(source, WatermarkStrategy.no_watermarks(), "orders").filter(is_large).sink_to(sink)
    env.execute("large orders")


def is_large(order: str) -> bool:
    """Return whether 100 or more was paid for an order."""
    return float(json.loads(order)["real_pay"]) >= 100


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Copy the orders of which 100 or more was paid.")
    parser.add_argument("--bootstrap-servers", default="localhost:9092")
    parser.add_argument("--input", default="in")
    parser.add_argument("--output", default="out")
    arguments = parser.parse_args()
    main(arguments.bootstrap_servers, arguments.input, arguments.output)
