"""Process the records of a time range again: --from and --until are times in ms since 1970."""

import sys

from kafkastream.common import SimpleStringSchema, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from kafkastream.util.parameter_tool import ParameterTool


def main(servers: str, begin: int, end: int) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    source = KafkaSource.builder().set_bootstrap_servers(servers).set_topics("orders")
    source.set_starting_offsets(KafkaOffsetsInitializer.timestamp(begin))
    source.set_bounded(KafkaOffsetsInitializer.timestamp(end))
    source.set_value_only_deserializer(SimpleStringSchema())
    schema = KafkaRecordSerializationSchema.builder().set_topic("replayed-orders")
    schema.set_value_serialization_schema(SimpleStringSchema())
    sink = KafkaSink.builder().set_bootstrap_servers(servers).set_record_serializer(schema.build())
    sink.set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE)
    orders = env.from_source(source.build(), WatermarkStrategy.no_watermarks(), "orders")
    orders.sink_to(sink.build())
    env.execute("replay")


if __name__ == "__main__":
    args = ParameterTool.from_args(sys.argv[1:])
    main(args.get("servers", "localhost:9092"), int(args.get_required("from")), int(args.get_required("until")))
