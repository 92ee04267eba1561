"""Add the customer's city to each order, from a compacted topic of customers; an order waits for its customer."""

import sys

from kafkastream.common import SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import DataStream, KeyedCoProcessFunction, RuntimeContext, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from kafkastream.datastream.state import ListStateDescriptor, ValueStateDescriptor
from kafkastream.util.parameter_tool import ParameterTool


class Enrich(KeyedCoProcessFunction):
    def open(self, runtime_context: RuntimeContext) -> None:
        self.city = runtime_context.get_state(ValueStateDescriptor("city", Types.STRING()))
        self.waiting = runtime_context.get_list_state(ListStateDescriptor("waiting", Types.STRING()))

    def process_element1(self, value: str, ctx: KeyedCoProcessFunction.Context) -> list[str]:
        if self.city.value() is None:
            self.waiting.add(value)
        return [f"{value} {self.city.value()}"] if self.city.value() else []

    def process_element2(self, value: str, ctx: KeyedCoProcessFunction.Context) -> list[str]:
        waiting, city = list(self.waiting.get()), value.split()[1]
        self.waiting.clear()
        self.city.update(city)
        return [f"{order} {city}" for order in waiting]


def read(env: StreamExecutionEnvironment, servers: str, topic: str) -> DataStream[str]:
    source = KafkaSource.builder().set_bootstrap_servers(servers).set_topics(topic)
    source.set_bounded(KafkaOffsetsInitializer.latest()).set_value_only_deserializer(SimpleStringSchema())
    return env.from_source(source.build(), WatermarkStrategy.no_watermarks(), topic)


def main(servers: str) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    both = read(env, servers, "orders").connect(read(env, servers, "customers"))
    by_name = both.key_by(lambda order: order.split()[0], lambda customer: customer.split()[0])
    schema = KafkaRecordSerializationSchema.builder().set_topic("enriched-orders")
    schema.set_value_serialization_schema(SimpleStringSchema())
    sink = KafkaSink.builder().set_bootstrap_servers(servers).set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE)
    by_name.process(Enrich(), Types.STRING()).uid("enrich").sink_to(sink.set_record_serializer(schema.build()).build())
    env.execute("enrich")


if __name__ == "__main__":
    main(ParameterTool.from_args(sys.argv[1:]).get("servers", "localhost:9092"))
