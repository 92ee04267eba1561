"""Flag payments above the limit of their country, while the limits change: rules in broadcast state."""

import json
import sys
from collections.abc import Iterator
from typing import Any

from kafkastream.common import SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import BroadcastProcessFunction, DataStream, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from kafkastream.datastream.state import MapStateDescriptor
from kafkastream.util.parameter_tool import ParameterTool

LIMITS = MapStateDescriptor("limits", Types.STRING(), Types.DOUBLE())


class Check(BroadcastProcessFunction):
    def process_element(self, value: Any, ctx: BroadcastProcessFunction.ReadOnlyContext) -> Iterator[str]:
        limit = ctx.get_broadcast_state(LIMITS).get(value["country"])
        if limit is not None and value["amount"] > limit:
            yield json.dumps({**value, "limit": limit})

    def process_broadcast_element(self, value: Any, ctx: BroadcastProcessFunction.Context) -> None:
        ctx.get_broadcast_state(LIMITS).put(value["country"], value["limit"])


def read(env: StreamExecutionEnvironment, servers: str, topic: str) -> DataStream[Any]:
    source = KafkaSource.builder().set_bootstrap_servers(servers).set_topics(topic)
    source.set_bounded(KafkaOffsetsInitializer.latest()).set_value_only_deserializer(SimpleStringSchema())
    return env.from_source(source.build(), WatermarkStrategy.no_watermarks(), topic).map(json.loads)


def main(servers: str) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    limits = read(env, servers, "limits").broadcast(LIMITS)
    schema = KafkaRecordSerializationSchema.builder().set_topic("flagged")
    schema.set_value_serialization_schema(SimpleStringSchema())
    sink = KafkaSink.builder().set_bootstrap_servers(servers).set_record_serializer(schema.build())
    sink.set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE)
    flagged = read(env, servers, "payments").connect(limits).process(Check(), Types.STRING())
    flagged.uid("check").sink_to(sink.build())
    env.execute("broadcast rules")


if __name__ == "__main__":
    main(ParameterTool.from_args(sys.argv[1:]).get("servers", "localhost:9092"))
