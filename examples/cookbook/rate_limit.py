"""Let three messages of each user pass per minute, and write the others to a topic of their own."""

import sys
from collections.abc import Iterator
from typing import Any

from kafkastream.common import SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import KeyedProcessFunction, OutputTag, RuntimeContext, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from kafkastream.datastream.state import ValueStateDescriptor
from kafkastream.util.parameter_tool import ParameterTool

REFUSED = OutputTag("refused", Types.STRING())


class Limit(KeyedProcessFunction[str, str, str]):
    def open(self, runtime_context: RuntimeContext) -> None:
        passed = ValueStateDescriptor("passed", Types.TUPLE([Types.LONG(), Types.INT()]))
        self.passed = runtime_context.get_state(passed)

    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Iterator[Any]:
        now = (ctx.timestamp() or 0) // 60_000
        minute, count = self.passed.value() or (now, 0)
        count = count + 1 if minute == now else 1
        self.passed.update((now, count))
        yield value if count <= 3 else (REFUSED, value)


def main(servers: str) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    source = KafkaSource.builder().set_bootstrap_servers(servers).set_topics("messages")
    source.set_bounded(KafkaOffsetsInitializer.latest()).set_value_only_deserializer(SimpleStringSchema())
    messages = env.from_source(source.build(), WatermarkStrategy.no_watermarks(), "messages")
    by_user = messages.key_by(lambda message: message.split()[0], Types.STRING())
    passed = by_user.process(Limit(), Types.STRING()).uid("limit")
    for stream, topic in ((passed, "passed"), (passed.get_side_output(REFUSED), "refused")):
        schema = KafkaRecordSerializationSchema.builder().set_topic(topic)
        schema.set_value_serialization_schema(SimpleStringSchema())
        sink = KafkaSink.builder().set_bootstrap_servers(servers).set_record_serializer(schema.build())
        stream.sink_to(sink.set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE).build())
    env.execute("rate limit")


if __name__ == "__main__":
    main(ParameterTool.from_args(sys.argv[1:]).get("servers", "localhost:9092"))
