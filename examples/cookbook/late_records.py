"""Count the orders of each minute, and keep orders that come too late in a topic of their own."""

import json
import sys
from collections.abc import Iterable, Iterator

from kafkastream.common import Duration, SimpleStringSchema, Time, Types, WatermarkStrategy
from kafkastream.datastream import OutputTag, ProcessWindowFunction, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from kafkastream.datastream.window import TimeWindow, TumblingEventTimeWindows
from kafkastream.util.parameter_tool import ParameterTool

LATE = OutputTag("late", Types.STRING())


class Count(ProcessWindowFunction[str, str, str, TimeWindow]):
    def process(
        self, key: str, context: ProcessWindowFunction.Context[TimeWindow], elements: Iterable[str]
    ) -> Iterator[str]:
        yield json.dumps({"customer": key, "until": context.window().end, "orders": len(list(elements))})


def sink(servers: str, topic: str) -> KafkaSink[str]:
    schema = KafkaRecordSerializationSchema.builder().set_topic(topic)
    schema.set_value_serialization_schema(SimpleStringSchema())
    sink = KafkaSink.builder().set_bootstrap_servers(servers).set_record_serializer(schema.build())
    return sink.set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE).build()


def main(servers: str) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    source = KafkaSource.builder().set_bootstrap_servers(servers).set_topics("orders")
    source.set_bounded(KafkaOffsetsInitializer.latest()).set_value_only_deserializer(SimpleStringSchema())
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(5))
    orders = env.from_source(source.build(), strategy, "orders")
    by_customer = orders.key_by(lambda order: json.loads(order)["customer"], Types.STRING())
    minutes = by_customer.window(TumblingEventTimeWindows.of(Time.minutes(1))).side_output_late_data(LATE)
    counts = minutes.process(Count(), Types.STRING()).uid("counts")
    counts.sink_to(sink(servers, "counts"))
    counts.get_side_output(LATE).sink_to(sink(servers, "late-orders"))
    env.execute("late records")


if __name__ == "__main__":
    main(ParameterTool.from_args(sys.argv[1:]).get("servers", "localhost:9092"))
