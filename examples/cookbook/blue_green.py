"""Add up the orders of each customer, in a version that runs next to the former one until readers have moved."""

import sys

from kafkastream.common import SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from kafkastream.util.parameter_tool import ParameterTool


def parsed(line: str) -> tuple[str, int]:
    customer, amount = line.split()
    return customer, int(amount)


def main(servers: str, version: str) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.enable_checkpointing(1000)
    env.get_checkpoint_config().set_checkpoint_storage_dir(f"file:///data/checkpoints/{version}")
    source = KafkaSource.builder().set_bootstrap_servers(servers).set_topics("orders").set_group_id(f"totals-{version}")
    source.set_bounded(KafkaOffsetsInitializer.latest()).set_value_only_deserializer(SimpleStringSchema())
    schema = KafkaRecordSerializationSchema.builder().set_topic(f"totals-{version}")
    schema.set_value_serialization_schema(SimpleStringSchema())
    sink = KafkaSink.builder().set_bootstrap_servers(servers).set_record_serializer(schema.build())
    sink.set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE).set_transactional_id_prefix(f"totals-{version}")
    pair = Types.TUPLE([Types.STRING(), Types.INT()])
    orders = env.from_source(source.build(), WatermarkStrategy.no_watermarks(), "orders").map(parsed, pair)
    totals = orders.key_by(lambda order: order[0]).reduce(lambda one, other: (one[0], one[1] + other[1])).uid("totals")
    totals.map(lambda total: f"{total[0]} {total[1]}", Types.STRING()).sink_to(sink.build())
    env.execute(f"totals {version}")


if __name__ == "__main__":
    args = ParameterTool.from_args(sys.argv[1:])
    main(args.get("servers", "localhost:9092"), args.get_required("version"))
