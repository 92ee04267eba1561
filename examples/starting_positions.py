"""Copy a topic from a starting position on: each of Flink's offsets initializers, by its name on the command line.

The Flink original:

    KafkaSource.builder().setStartingOffsets(OffsetsInitializer.committedOffsets(OffsetResetStrategy.EARLIEST))

Run it, for example with a broker of `kafkastream broker --topic in:4 --topic out:4`:

    kafkastream run examples/starting_positions.py --start earliest
    kafkastream run examples/starting_positions.py --start timestamp=1700000000000
    kafkastream run examples/starting_positions.py --start committed
    kafkastream run examples/starting_positions.py --start offsets=3,0,12,7
"""

from __future__ import annotations

import argparse

from kafkastream.common import SimpleStringSchema, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetResetStrategy,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
    KafkaTopicPartition,
)


def starting_offsets(start: str, topic: str) -> KafkaOffsetsInitializer:
    """Return the offsets initializer that the command line names."""
    kind, _, value = start.partition("=")
    match kind:
        case "earliest":
            return KafkaOffsetsInitializer.earliest()
        case "latest":
            return KafkaOffsetsInitializer.latest()
        case "timestamp":
            return KafkaOffsetsInitializer.timestamp(int(value))
        case "committed":
            return KafkaOffsetsInitializer.committed_offsets(KafkaOffsetResetStrategy.EARLIEST)
        case "offsets":
            offsets = {KafkaTopicPartition(topic, number): int(one) for number, one in enumerate(value.split(","))}
            return KafkaOffsetsInitializer.offsets(offsets)
        case _:
            raise SystemExit(f"--start {start}: use earliest, latest, timestamp=ms, committed or offsets=o,o,…")


def main(bootstrap_servers: str, topic_in: str, topic_out: str, start: str) -> None:
    """Copy the records from ``start`` to the end, and commit the offsets to the group."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.enable_checkpointing(1000)  # offsets are committed with checkpoints
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers(bootstrap_servers)
        .set_topics(topic_in)
        .set_group_id("starting-positions")
        .set_starting_offsets(starting_offsets(start, topic_in))
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
    env.execute("starting positions")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Copy what a topic holds from a starting position on.")
    parser.add_argument("--bootstrap-servers", default="localhost:9092")
    parser.add_argument("--input", default="in")
    parser.add_argument("--output", default="out")
    parser.add_argument("--start", default="earliest", help="earliest, latest, timestamp=ms, committed, offsets=o,o,…")
    arguments = parser.parse_args()
    main(arguments.bootstrap_servers, arguments.input, arguments.output, arguments.start)
