r"""Split lines into words with flat_map, and write one record per word.

The Flink original:

    env.fromSource(source, WatermarkStrategy.noWatermarks(), "lines")
       .flatMap((String line, Collector<String> out) -> { for (String word : line.split("\\s+")) out.collect(word); })
       .returns(Types.STRING)
       .sinkTo(sink);

Run it, for example with a broker of `kafkastream broker --topic in:4 --topic out:4`:

    python examples/split_words.py --bootstrap-servers localhost:9092 --input in --output out
    kafkastream run examples/split_words.py --bootstrap-servers localhost:9092 --input in --output out
    spark-submit --jars "$(kafkastream jars)" examples/split_words.py --bootstrap-servers localhost:9092 --input in --output out
"""

from __future__ import annotations

import argparse

from kafkastream.common import SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)


def main(bootstrap_servers: str, topic_in: str, topic_out: str) -> None:
    """Write each word of each line as a record of its own."""
    env = StreamExecutionEnvironment.get_execution_environment()
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers(bootstrap_servers)
        .set_topics(topic_in)
        .set_group_id("split-words")
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
    lines = env.from_source(source, WatermarkStrategy.no_watermarks(), "lines")
    lines.flat_map(lambda line: line.split(), Types.STRING()).sink_to(sink)
    env.execute("words")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write each word of each line as a record of its own.")
    parser.add_argument("--bootstrap-servers", default="localhost:9092")
    parser.add_argument("--input", default="in")
    parser.add_argument("--output", default="out")
    arguments = parser.parse_args()
    main(arguments.bootstrap_servers, arguments.input, arguments.output)
