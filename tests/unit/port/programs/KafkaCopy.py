"""Ported by kafkastream port from KafkaCopy.java."""

from __future__ import annotations

import logging
import os
import sys

from kafkastream.common import Configuration, SimpleStringSchema, WatermarkStrategy
from kafkastream.datastream import CheckpointingMode, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
    OffsetsInitializer,
)
from kafkastream.util.java_values import java_text

LOG = logging.getLogger(__name__)
BROKERS = os.environ.get("BOOTSTRAP_SERVERS", "localhost:9092")


def create_source(topic: str) -> KafkaSource[str]:
    return (
        KafkaSource.builder()
        .set_bootstrap_servers(BROKERS)
        .set_topics(topic)
        .set_group_id("copy")
        .set_starting_offsets(OffsetsInitializer.earliest())
        .set_bounded(OffsetsInitializer.latest())
        .set_value_only_deserializer(SimpleStringSchema())
        .set_property("isolation.level", "read_committed")
        .build()
    )


def create_sink(topic: str) -> KafkaSink[str]:
    properties: dict[str, str] = {}
    properties["transaction.timeout.ms"] = "900000"
    properties["compression.type"] = "lz4"
    return (
        KafkaSink.builder()
        .set_bootstrap_servers(BROKERS)
        .set_kafka_producer_config(properties)
        .set_record_serializer(
            KafkaRecordSerializationSchema.builder()
            .set_topic(topic)
            .set_value_serialization_schema(SimpleStringSchema())
            .build()
        )
        .set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE)
        .build()
    )


def main(args: list[str]) -> None:
    input = args[0]
    output = args[1] if len(args) > 1 else f"{java_text(input)}-copy"
    LOG.info("Copying %s to %s", input, output)
    env = StreamExecutionEnvironment.get_execution_environment(Configuration())
    env.enable_checkpointing(10000, CheckpointingMode.EXACTLY_ONCE)
    (
        env.from_source(create_source(input), WatermarkStrategy.no_watermarks(), "records")
        .filter(lambda value: bool(value))
        .uid("not-empty")
        .sink_to(create_sink(output))
        .name("copy")
    )
    env.execute()


if __name__ == "__main__":
    main(sys.argv[1:])
