"""Copy a topic so that each record arrives once, whatever is killed and whenever: kill it, and start it again.

Run it, for example with a broker of `kafkastream broker --topic in:4 --topic out:4`:

    kafkastream run examples/exactly_once_copy.py --bootstrap-servers localhost:9092 --input in --output out

Readers of the output need `isolation.level=read_committed`. Add `--forever` to go on after what is there now.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from kafkastream.common import SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)

CHECKPOINTS = Path(tempfile.gettempdir()) / "kafkastream-exactly-once-copy"


def main(bootstrap_servers: str, topic_in: str, topic_out: str, checkpoints: str, *, forever: bool) -> None:
    """Copy values in upper case, so that elements pass through Python."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.enable_checkpointing(1000)  # ms: how often output becomes visible
    env.get_checkpoint_config().set_checkpoint_storage_dir(checkpoints)
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers(bootstrap_servers)
        .set_topics(topic_in)
        .set_group_id("exactly-once-copy")
        .set_starting_offsets(KafkaOffsetsInitializer.earliest())
        .set_value_only_deserializer(SimpleStringSchema())
    )
    if not forever:
        source.set_bounded(KafkaOffsetsInitializer.latest())
    sink = (
        KafkaSink.builder()
        .set_bootstrap_servers(bootstrap_servers)
        .set_record_serializer(
            KafkaRecordSerializationSchema.builder()
            .set_topic(topic_out)
            .set_value_serialization_schema(SimpleStringSchema())
            .build()
        )
        .set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE)
        .set_transactional_id_prefix("exactly-once-copy")
        .build()
    )
    stream = env.from_source(source.build(), WatermarkStrategy.no_watermarks(), "in")
    stream.map(str.upper, Types.STRING()).sink_to(sink).name("copy")
    env.execute("exactly-once-copy")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Copy a topic so that each record arrives once.")
    parser.add_argument("--bootstrap-servers", default="localhost:9092")
    parser.add_argument("--input", default="in")
    parser.add_argument("--output", default="out")
    parser.add_argument("--checkpoints", default=CHECKPOINTS.as_uri(), help="a directory's URL (%(default)s)")
    parser.add_argument("--forever", action="store_true", help="go on after what is there now")
    arguments = parser.parse_args()
    main(
        arguments.bootstrap_servers,
        arguments.input,
        arguments.output,
        arguments.checkpoints,
        forever=arguments.forever,
    )
