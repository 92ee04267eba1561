"""Count the clicks of each visit: a user's visit is over when nothing is clicked for half a minute.

The Flink original:

    clicks.keyBy(click -> click.user)
          .window(EventTimeSessionWindows.withGap(Duration.ofSeconds(30)))
          .aggregate(new Count(), new Visit())
          .sinkTo(sink);

Each record is a click like {"user": "ann", "page": "/"}, with the record's time.

Run it, for example with a broker of `kafkastream broker --topic in:4 --topic out:4`:

    kafkastream run examples/session_counts.py --bootstrap-servers localhost:9092 --input in --output out
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from typing import Any

from kafkastream.common import Duration, SimpleStringSchema, Time, Types, WatermarkStrategy
from kafkastream.datastream import AggregateFunction, ProcessWindowFunction, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from kafkastream.datastream.window import EventTimeSessionWindows, TimeWindow

GAP = Time.seconds(30)


class Count(AggregateFunction[Any, int, int]):
    """Count clicks; only a number is kept for a visit that is not over."""

    def create_accumulator(self) -> int:
        """Start at 0."""
        return 0

    def add(self, value: Any, accumulator: int) -> int:
        """Count a click."""
        return accumulator + 1

    def get_result(self, accumulator: int) -> int:
        """Return the count."""
        return accumulator

    def merge(self, acc_a: int, acc_b: int) -> int:
        """Add the counts of two visits that a click has merged."""
        return acc_a + acc_b


class Visit(ProcessWindowFunction[int, Any, str, TimeWindow]):
    """Add the user and the time of the visit."""

    def process(
        self, key: str, context: ProcessWindowFunction.Context[TimeWindow], elements: Iterable[int]
    ) -> Iterator[Any]:
        """Return the visit; its window ends a gap after the last click."""
        (clicks,) = elements
        window = context.window()
        last = window.end - GAP.to_milliseconds()
        yield {"user": key, "first": window.start, "last": last, "clicks": clicks}


def main(bootstrap_servers: str, topic_in: str, topic_out: str) -> None:
    """Write a record about each visit when it is over."""
    env = StreamExecutionEnvironment.get_execution_environment()
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers(bootstrap_servers)
        .set_topics(topic_in)
        .set_group_id("session-counts")
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
    clicks = env.from_source(source, strategy, "clicks").map(json.loads)
    visits = clicks.key_by(lambda click: click["user"]).window(EventTimeSessionWindows.with_gap(GAP))
    visits.aggregate(Count(), Visit()).uid("visits").map(json.dumps, Types.STRING()).sink_to(sink)
    env.execute("session counts")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Count the clicks of each user's visits.")
    parser.add_argument("--bootstrap-servers", default="localhost:9092")
    parser.add_argument("--input", default="in")
    parser.add_argument("--output", default="out")
    arguments = parser.parse_args()
    main(arguments.bootstrap_servers, arguments.input, arguments.output)
