"""Drop orders whose id has been seen within the last day: a producer that retries writes some of them twice."""

import json
import sys

from kafkastream.common import SimpleStringSchema, Time, Types, WatermarkStrategy
from kafkastream.datastream import FilterFunction, RuntimeContext, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from kafkastream.datastream.state import StateTtlConfig, ValueStateDescriptor
from kafkastream.util.parameter_tool import ParameterTool


class FirstOfItsKey(FilterFunction[str]):
    def open(self, runtime_context: RuntimeContext) -> None:
        seen = ValueStateDescriptor("seen", Types.BOOLEAN())
        seen.enable_time_to_live(StateTtlConfig.new_builder(Time.days(1)).build())
        self.seen = runtime_context.get_state(seen)

    def filter(self, value: str) -> bool:
        is_first = self.seen.value() is None
        self.seen.update(True)
        return is_first


def main(servers: str) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    source = KafkaSource.builder().set_bootstrap_servers(servers).set_topics("orders")
    source.set_bounded(KafkaOffsetsInitializer.latest()).set_value_only_deserializer(SimpleStringSchema())
    schema = KafkaRecordSerializationSchema.builder().set_topic("unique-orders")
    schema.set_value_serialization_schema(SimpleStringSchema())
    sink = KafkaSink.builder().set_bootstrap_servers(servers).set_record_serializer(schema.build())
    sink.set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE)
    orders = env.from_source(source.build(), WatermarkStrategy.no_watermarks(), "orders")
    by_id = orders.key_by(lambda order: json.loads(order)["id"], Types.LONG())
    by_id.filter(FirstOfItsKey()).uid("deduplicate").sink_to(sink.build())
    env.execute("deduplicate")


if __name__ == "__main__":
    main(ParameterTool.from_args(sys.argv[1:]).get("servers", "localhost:9092"))
