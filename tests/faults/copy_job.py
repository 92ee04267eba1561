"""The job that is attacked: it copies numbers, and adds what no second run would add again.

``python copy_job.py SERVERS FROM TO CHECKPOINTS FAULTS GUARANTEE [TRANSACTION_TIMEOUT_MS [latency]]``
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from kafkastream.common import Configuration, SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import DataStream, MapFunction, RuntimeContext, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)

INTERVAL_MS = 300
TIMEOUT_MS = 10_000
EPOCH = ("kafkastream.latency.epoch", "10 s")
"""Attacks come upon ends of epochs, too."""


class Copy(MapFunction):
    """The number, and something random, which makes two attempts differ."""

    def __init__(self, faults: str) -> None:
        self._faults = faults

    def open(self, runtime_context: RuntimeContext) -> None:
        sys.path.insert(0, str(Path(self._faults) / "code"))
        from saboteur import install  # type: ignore[import-not-found]

        install(Path(self._faults))

    def map(self, value: str) -> str:
        return f"{value} {random.random()}"


def main(
    servers: str,
    source: str,
    target: str,
    checkpoints: str,
    faults: str,
    guarantee: str,
    timeout_ms: str = str(TIMEOUT_MS),
    mode: str = "micro-batches",
) -> None:
    env = StreamExecutionEnvironment.get_execution_environment(Configuration().set_string(*EPOCH))
    env.set_buffer_timeout(0 if mode == "latency" else -1)
    env.enable_checkpointing(INTERVAL_MS).get_checkpoint_config().set_checkpoint_storage_dir(checkpoints)
    schema = (
        KafkaRecordSerializationSchema.builder()
        .set_topic(target)
        .set_key_serialization_schema(SimpleStringSchema())
        .set_value_serialization_schema(SimpleStringSchema())
        .build()
    )
    sink = (
        KafkaSink.builder()
        .set_bootstrap_servers(servers)
        .set_record_serializer(schema)
        .set_delivery_guarantee(DeliveryGuarantee[guarantee])
        .set_transactional_id_prefix("faults")
        .set_property("transaction.timeout.ms", timeout_ms)
        .build()
    )
    numbers(env, servers, source).map(Copy(faults), Types.STRING()).sink_to(sink).name("copy")
    env.execute("faults")


def numbers(
    env: StreamExecutionEnvironment, servers: str, topic: str, strategy: WatermarkStrategy[str] | None = None
) -> DataStream[str]:
    """What is copied."""
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers(servers)
        .set_topics(topic)
        .set_group_id("faults")
        .set_starting_offsets(KafkaOffsetsInitializer.earliest())
        .set_value_only_deserializer(SimpleStringSchema())
        .build()
    )
    return env.from_source(source, strategy or WatermarkStrategy.no_watermarks(), "numbers")


if __name__ == "__main__":
    main(*sys.argv[1:])
