"""Find the three best-selling items of each minute: windows count, and a process function ranks.

The Flink original:

    sales.keyBy(sale -> sale.item)
         .window(TumblingEventTimeWindows.of(Duration.ofMinutes(1)))
         .aggregate(new Count(), new Counted())
         .keyBy(counted -> counted.windowEnd)
         .process(new TopItems(3))
         .sinkTo(sink);

Each record is a sale like {"item": "pen"}, with the record's time.

Run it, for example with a broker of `kafkastream broker --topic in:4 --topic out:4`:

    kafkastream run examples/top_items.py --bootstrap-servers localhost:9092 --input in --output out
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from kafkastream.common import Duration, SimpleStringSchema, Time, Types, WatermarkStrategy
from kafkastream.datastream import (
    AggregateFunction,
    KeyedProcessFunction,
    ProcessWindowFunction,
    RuntimeContext,
    StreamExecutionEnvironment,
)
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from kafkastream.datastream.state import ListStateDescriptor
from kafkastream.datastream.window import TimeWindow, TumblingEventTimeWindows


class Counted(NamedTuple):
    """Number of sales of an item in a window."""

    window_end: int
    item: str
    sold: int


class Count(AggregateFunction[Any, int, int]):
    """Count sales."""

    def create_accumulator(self) -> int:
        """Start at 0."""
        return 0

    def add(self, value: Any, accumulator: int) -> int:
        """Count a sale."""
        return accumulator + 1

    def get_result(self, accumulator: int) -> int:
        """Return the count."""
        return accumulator

    def merge(self, acc_a: int, acc_b: int) -> int:
        """Add two counts; never called, since tumbling windows do not merge."""
        return acc_a + acc_b


class OfWindow(ProcessWindowFunction[int, Counted, str, TimeWindow]):
    """Add the item and the window's end."""

    def process(
        self, key: str, context: ProcessWindowFunction.Context[TimeWindow], elements: Iterable[int]
    ) -> Iterator[Counted]:
        """Return one result for each item and window."""
        for count in elements:
            yield Counted(context.window().end, key, count)


class TopItems(KeyedProcessFunction[int, Counted, Any]):
    """Collect the counts of a window, which are complete when the watermark reaches its end."""

    def __init__(self, size: int) -> None:
        self.size = size

    def open(self, runtime_context: RuntimeContext) -> None:
        """Get the state."""
        self.counts = runtime_context.get_list_state(ListStateDescriptor("counts", Types.PICKLED_BYTE_ARRAY()))

    def process_element(self, value: Counted, ctx: KeyedProcessFunction.Context) -> None:
        """Keep a count, and set the timer of the window, which several counts share."""
        self.counts.add(value)
        ctx.timer_service().register_event_time_timer(value.window_end)

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterator[Any]:
        """Rank the items of the window, which is the key."""
        ranked = sorted(self.counts.get(), key=lambda counted: (-counted.sold, counted.item))
        self.counts.clear()
        top = [[counted.item, counted.sold] for counted in ranked[: self.size]]
        yield {"until": ctx.get_current_key(), "top": top}


def main(bootstrap_servers: str, topic_in: str, topic_out: str) -> None:
    """Write the best-selling items of each minute."""
    env = StreamExecutionEnvironment.get_execution_environment()
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers(bootstrap_servers)
        .set_topics(topic_in)
        .set_group_id("top-items")
        .set_starting_offsets(KafkaOffsetsInitializer.earliest())
        .set_bounded(KafkaOffsetsInitializer.latest())
        .set_value_only_deserializer(SimpleStringSchema())
        .build()
    )
    sink = (
        KafkaSink.builder()
        .set_bootstrap_servers(bootstrap_servers)
        .set_record_serializer(
            KafkaRecordSerializationSchema.builder()
            .set_topic(topic_out)
            .set_value_serialization_schema(SimpleStringSchema())
            .build()
        )
        .set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE)
        .build()
    )
    strategy: WatermarkStrategy[str] = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(5))
    sales = env.from_source(source, strategy, "sales").map(json.loads)
    windows = sales.key_by(lambda sale: sale["item"]).window(TumblingEventTimeWindows.of(Time.minutes(1)))
    counts = windows.aggregate(Count(), OfWindow()).uid("counts")
    ranked = counts.key_by(lambda counted: counted.window_end).process(TopItems(3)).uid("top")
    ranked.map(json.dumps, Types.STRING()).sink_to(sink)
    env.execute("top items")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Find the items that are sold most in each minute.")
    parser.add_argument("--bootstrap-servers", default="localhost:9092")
    parser.add_argument("--input", default="in")
    parser.add_argument("--output", default="out")
    arguments = parser.parse_args()
    main(arguments.bootstrap_servers, arguments.input, arguments.output)
