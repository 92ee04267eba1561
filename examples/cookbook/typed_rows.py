"""Read JSON as rows with declared types, and set aside records that do not fit, instead of failing."""

import sys

from kafkastream.common import Row, Types, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from kafkastream.datastream.formats.json import JsonRowDeserializationSchema, JsonRowSerializationSchema
from kafkastream.util.parameter_tool import ParameterTool

ORDER = Types.ROW_NAMED(["id", "prices"], [Types.LONG(), Types.LIST(Types.DOUBLE())])
TOTAL = Types.ROW_NAMED(["id", "total"], [Types.LONG(), Types.DOUBLE()])


def total(order: Row) -> Row:
    return Row(id=order.id, total=sum(order.prices))


def main(servers: str) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    source = KafkaSource.builder().set_bootstrap_servers(servers).set_topics("orders")
    json_rows = JsonRowDeserializationSchema.builder().type_info(ORDER).fail_on_missing_field()
    source.set_bounded(KafkaOffsetsInitializer.latest()).set_value_only_deserializer(json_rows.build())
    source.set_dead_letter_topic("dead-orders")
    schema = KafkaRecordSerializationSchema.builder().set_topic("totals")
    schema.set_value_serialization_schema(JsonRowSerializationSchema.builder().with_type_info(TOTAL).build())
    sink = KafkaSink.builder().set_bootstrap_servers(servers).set_record_serializer(schema.build())
    sink.set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE)
    orders = env.from_source(source.build(), WatermarkStrategy.no_watermarks(), "orders")
    orders.map(total, TOTAL).sink_to(sink.build())
    env.execute("totals")


if __name__ == "__main__":
    main(ParameterTool.from_args(sys.argv[1:]).get("servers", "localhost:9092"))
