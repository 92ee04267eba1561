"""A job with state on a cluster: how many elements of its key there were, for each; and where that was found out.

``spark-submit … counting_job.py SERVERS FROM TO CHECKPOINTS GIVEN``

An element is ``key number``; the first of each key comes from a collection. It takes a while, so that executors can be killed at work.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

from kafkastream.common import SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import KeyedProcessFunction, RuntimeContext, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from kafkastream.datastream.state import ValueStateDescriptor

WORK_S = 0.004


class RunningCount(KeyedProcessFunction[str, str, str]):
    """How many elements of the key there were."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Iterator[str]:
        time.sleep(WORK_S)
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        yield f"{value} {count} {sys.prefix}"


def main(servers: str, source: str, target: str, checkpoints: str, given: str) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    env.get_checkpoint_config().set_checkpoint_storage_dir(checkpoints)
    values = SimpleStringSchema()
    elements = KafkaSource.builder().set_bootstrap_servers(servers).set_topics(source).set_group_id("counting")
    records = KafkaRecordSerializationSchema.builder().set_topic(target).set_value_serialization_schema(values)
    sink = KafkaSink.builder().set_bootstrap_servers(servers).set_record_serializer(records.build())
    sink.set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE).set_transactional_id_prefix("counting")
    stream = env.from_source(
        elements.set_value_only_deserializer(values).build(), WatermarkStrategy.no_watermarks(), "elements"
    )
    stream = env.from_collection(given.split(","), Types.STRING()).union(stream)
    stream.key_by(lambda value: value.split()[0]).process(RunningCount(), Types.STRING()).sink_to(sink.build())
    env.execute("counting")


if __name__ == "__main__":
    main(*sys.argv[1:])
