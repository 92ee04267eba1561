"""Alert when a device has been silent for a minute: each record moves the timer of its key."""

import sys
from collections.abc import Iterator

from kafkastream.common import Duration, SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import KeyedProcessFunction, RuntimeContext, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from kafkastream.datastream.state import ValueStateDescriptor
from kafkastream.util.parameter_tool import ParameterTool


class Silence(KeyedProcessFunction[str, str, str]):
    def open(self, runtime_context: RuntimeContext) -> None:
        self.due = runtime_context.get_state(ValueStateDescriptor("due", Types.LONG()))

    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> None:
        due = max((ctx.timestamp() or 0) + 60_000, self.due.value() or 0)
        self.due.update(due)
        ctx.timer_service().register_event_time_timer(due)

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterator[str]:
        if timestamp == self.due.value():
            self.due.clear()
            yield f"{ctx.get_current_key()} is silent at {timestamp}"


def main(servers: str) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    source = KafkaSource.builder().set_bootstrap_servers(servers).set_topics("measurements")
    source.set_bounded(KafkaOffsetsInitializer.latest()).set_value_only_deserializer(SimpleStringSchema())
    schema = KafkaRecordSerializationSchema.builder().set_topic("alerts")
    schema.set_value_serialization_schema(SimpleStringSchema())
    sink = KafkaSink.builder().set_bootstrap_servers(servers).set_record_serializer(schema.build())
    sink.set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE)
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(5))
    devices = env.from_source(source.build(), strategy, "measurements").key_by(lambda line: line.split()[0])
    devices.process(Silence(), Types.STRING()).uid("silence").sink_to(sink.build())
    env.execute("alert on silence")


if __name__ == "__main__":
    main(ParameterTool.from_args(sys.argv[1:]).get("servers", "localhost:9092"))
