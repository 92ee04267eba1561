"""Read from and write to a secured cluster: SASL_SSL with SCRAM-SHA-512.

The Flink original:

    KafkaSource.<String>builder()
        .setProperty("security.protocol", "SASL_SSL")
        .setProperty("sasl.mechanism", "SCRAM-SHA-512")
        .setProperty("sasl.jaas.config", "….ScramLoginModule required username='ann' password='…';")
        .setProperty("ssl.truststore.location", "/path/to/kafka.client.truststore.jks")
        .setProperty("ssl.truststore.password", "…")

Run it, with the passwords in the environment, so that no list of processes shows them:

    export KAFKA_PASSWORD=… TRUSTSTORE_PASSWORD=…
    python examples/secured_copy.py --bootstrap-servers kafka:9093 --user ann --truststore client.jks --input in --output out
    kafkastream run examples/secured_copy.py --bootstrap-servers kafka:9093 --user ann --truststore client.jks --input in --output out
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping

from kafkastream.common import SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)

LOGIN_MODULE = "org.apache.kafka.common.security.scram.ScramLoginModule"


def security(user: str, password: str, truststore: str, truststore_password: str) -> Mapping[str, str]:
    """Return the client properties of source and sink; the trust store may be JKS, PKCS12 or PEM (see
    ssl.truststore.type).
    """
    return {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.jaas.config": f'{LOGIN_MODULE} required username="{user}" password="{password}";',
        "ssl.truststore.location": truststore,
        "ssl.truststore.password": truststore_password,
    }


def main(bootstrap_servers: str, properties: Mapping[str, str], topic_in: str, topic_out: str) -> None:
    """Copy every record's value in upper case."""
    env = StreamExecutionEnvironment.get_execution_environment()
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers(bootstrap_servers)
        .set_properties(properties)
        .set_topics(topic_in)
        .set_group_id("secured-copy")
        .set_bounded(KafkaOffsetsInitializer.latest())
        .set_value_only_deserializer(SimpleStringSchema())
        .build()
    )
    sink = (
        KafkaSink.builder()
        .set_bootstrap_servers(bootstrap_servers)
        .set_kafka_producer_config(properties)
        .set_record_serializer(
            KafkaRecordSerializationSchema.builder()
            .set_topic(topic_out)
            .set_value_serialization_schema(SimpleStringSchema())
            .build()
        )
        .set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE)
        .build()
    )
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "in")
    stream.map(str.upper, Types.STRING()).sink_to(sink)
    env.execute("secured copy")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Copy every record's value in upper case.")
    parser.add_argument("--bootstrap-servers", default="localhost:9093")
    parser.add_argument("--user", required=True)
    parser.add_argument("--truststore", required=True)
    parser.add_argument("--input", default="in")
    parser.add_argument("--output", default="out")
    arguments = parser.parse_args()
    secured = security(
        arguments.user, os.environ["KAFKA_PASSWORD"], arguments.truststore, os.environ["TRUSTSTORE_PASSWORD"]
    )
    main(arguments.bootstrap_servers, secured, arguments.input, arguments.output)
