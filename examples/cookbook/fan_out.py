"""Write each event to the topic of its type, and events of other types to a topic for them."""

import json
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

TOPICS = {"click": "clicks", "order": "orders"}


def topic_of(event: str) -> str:
    return TOPICS.get(json.loads(event).get("type"), "other-events")


def main(servers: str) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    source = KafkaSource.builder().set_bootstrap_servers(servers).set_topics("events")
    source.set_bounded(KafkaOffsetsInitializer.latest()).set_value_only_deserializer(SimpleStringSchema())
    schema = KafkaRecordSerializationSchema.builder().set_topic_selector(topic_of)
    schema.set_value_serialization_schema(SimpleStringSchema())
    sink = KafkaSink.builder().set_bootstrap_servers(servers).set_record_serializer(schema.build())
    sink.set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE)
    events = env.from_source(source.build(), WatermarkStrategy.no_watermarks(), "events")
    events.sink_to(sink.build())
    env.execute("fan out")


if __name__ == "__main__":
    main(ParameterTool.from_args(sys.argv[1:]).get("servers", "localhost:9092"))
