"""Copy a topic to another, value by value.

The Flink original:

    env.fromSource(source, WatermarkStrategy.noWatermarks(), "in").sinkTo(sink);

Run it, for example with the broker of `kafkastream broker --topic in:4 --topic out:4`:

    python examples/copy_topic.py --bootstrap-servers localhost:9092 --input in --output out
    kafkastream run examples/copy_topic.py --bootstrap-servers localhost:9092 --input in --output out
    spark-submit --jars "$(kafkastream jars)" examples/copy_topic.py --bootstrap-servers localhost:9092 --input in
    --output out
"""

from __future__ import annotations

import argparse

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
    """Copy the value and timestamp of every record."""
    env = StreamExecutionEnvironment.get_execution_environment()
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers(bootstrap_servers)
        .set_topics(topic_in)
        .set_group_id("copy-topic")
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
    env.from_source(source, WatermarkStrategy.no_watermarks(), "in").sink_to(sink)
    env.execute("copy")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Copy every record's value and time.")
    parser.add_argument("--bootstrap-servers", default="localhost:9092")
    parser.add_argument("--input", default="in")
    parser.add_argument("--output", default="out")
    arguments = parser.parse_args()
    main(arguments.bootstrap_servers, arguments.input, arguments.output)
