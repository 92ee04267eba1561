"""Convert JSON orders to Avro with a Confluent schema registry, in which the job registers the schema.

Run it, for example with a broker of `kafkastream broker --topic in:4 --topic out:4` and a registry:

    kafkastream run examples/registry_orders.py --bootstrap-servers localhost:9092 --registry http://localhost:8081 \
      --input in --output out

Orders look like `{"id": 7, "item": "pen"}`.
"""

from __future__ import annotations

import argparse
import json

from kafkastream.common import SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from kafkastream.datastream.formats.avro import ConfluentRegistryAvroSerializationSchema

ORDER = json.dumps(
    {
        "type": "record",
        "name": "Order",
        "fields": [{"name": "id", "type": "long"}, {"name": "item", "type": "string"}],
    }
)


def main(bootstrap_servers: str, registry: str, topic_in: str, topic_out: str) -> None:
    """Convert every order."""
    env = StreamExecutionEnvironment.get_execution_environment()
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers(bootstrap_servers)
        .set_topics(topic_in)
        .set_bounded(KafkaOffsetsInitializer.latest())
        .set_value_only_deserializer(SimpleStringSchema())
        .build()
    )
    avro = ConfluentRegistryAvroSerializationSchema.for_generic(f"{topic_out}-value", ORDER, registry)
    sink = (
        KafkaSink.builder()
        .set_bootstrap_servers(bootstrap_servers)
        .set_record_serializer(
            KafkaRecordSerializationSchema.builder().set_topic(topic_out).set_value_serialization_schema(avro).build()
        )
        .set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE)
        .build()
    )
    orders = env.from_source(source, WatermarkStrategy.no_watermarks(), "in").map(
        json.loads, Types.PICKLED_BYTE_ARRAY()
    )
    orders.sink_to(sink)
    env.execute("registry-orders")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Turn JSON orders into Avro of a schema registry.")
    parser.add_argument("--bootstrap-servers", default="localhost:9092")
    parser.add_argument("--registry", default="http://localhost:8081", help="the registry's address (%(default)s)")
    parser.add_argument("--input", default="in")
    parser.add_argument("--output", default="out")
    arguments = parser.parse_args()
    main(arguments.bootstrap_servers, arguments.registry, arguments.input, arguments.output)
