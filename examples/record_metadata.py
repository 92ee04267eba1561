"""Write a line about each record of a topic: key, headers, partition, offset and timestamp.

The Flink original implements `KafkaRecordDeserializationSchema.deserialize(record, out)` in Java; PyFlink cannot.

Run it, for example with a broker of `kafkastream broker --topic in:4 --topic out:4`:

    kafkastream run examples/record_metadata.py --bootstrap-servers localhost:9092 --input in --output out
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator

from kafkastream.common import SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    ConsumerRecord,
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordDeserializationSchema,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)


class Metadata(KafkaRecordDeserializationSchema[dict[str, object]]):
    """Metadata of a record: everything but its value."""

    def deserialize(self, record: ConsumerRecord) -> Iterator[dict[str, object]]:
        """Return one element per record."""
        yield {
            "partition": record.partition,
            "offset": record.offset,
            "timestamp": record.timestamp,
            "key": record.key.decode() if record.key is not None else None,
            "headers": {name: value.decode() for name, value in record.headers if value is not None},
        }


def main(bootstrap_servers: str, topic_in: str, topic_out: str) -> None:
    """Describe every record."""
    env = StreamExecutionEnvironment.get_execution_environment()
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers(bootstrap_servers)
        .set_topics(topic_in)
        .set_bounded(KafkaOffsetsInitializer.latest())
        .set_deserializer(Metadata())
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
    env.from_source(source, WatermarkStrategy.no_watermarks(), "in").map(json.dumps, Types.STRING()).sink_to(sink)
    env.execute("metadata")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write a line about each record of a topic.")
    parser.add_argument("--bootstrap-servers", default="localhost:9092")
    parser.add_argument("--input", default="in")
    parser.add_argument("--output", default="out")
    arguments = parser.parse_args()
    main(arguments.bootstrap_servers, arguments.input, arguments.output)
