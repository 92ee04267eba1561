"""Detect accounts where a small payment is followed by a large one within a minute: Flink's fraud detection tutorial.

The Flink original:

    env.addSource(new TransactionSource())
       .keyBy(Transaction::getAccountId)
       .process(new FraudDetector())
       .addSink(new AlertSink());

Flink's detector uses processing time; this one uses event time, so that old payments give the same alerts.
Each record is a payment like {"account": "ann", "amount": 0.5}; those of an account come in order, from one partition.

Run it, for example with a broker of `kafkastream broker --topic in:4 --topic out:4`:

    kafkastream run examples/fraud_detection.py --bootstrap-servers localhost:9092 --input in --output out
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any

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

SMALL = 1.00
LARGE = 500.00
MINUTE_MS = 60_000


class FraudDetector(KeyedProcessFunction[str, Any, Any]):
    """Remember for a minute, for each account, that the last payment was a small one."""

    def open(self, runtime_context: RuntimeContext) -> None:
        """Get the state."""
        self.small_at = runtime_context.get_state(ValueStateDescriptor("small-at", Types.LONG()))

    def process_element(self, value: Any, ctx: KeyedProcessFunction.Context) -> Iterator[Any]:
        """Compare a payment with the one before."""
        paid_at = ctx.timestamp()
        assert paid_at is not None  # Kafka records always have a timestamp
        small_at = self.small_at.value()
        if small_at is not None:
            if value["amount"] > LARGE and paid_at <= small_at + MINUTE_MS:
                yield {"account": ctx.get_current_key(), "amount": value["amount"], "time": paid_at}
            ctx.timer_service().delete_event_time_timer(small_at + MINUTE_MS)
            self.small_at.clear()
        if value["amount"] < SMALL:
            self.small_at.update(paid_at)
            ctx.timer_service().register_event_time_timer(paid_at + MINUTE_MS)

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> None:
        """Forget the small payment after a minute."""
        self.small_at.clear()


def main(bootstrap_servers: str, topic_in: str, topic_out: str) -> None:
    """Write an alert for each large payment that follows a small one."""
    env = StreamExecutionEnvironment.get_execution_environment()
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers(bootstrap_servers)
        .set_topics(topic_in)
        .set_group_id("fraud-detection")
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
    payments = env.from_source(source, strategy, "payments").map(json.loads)
    alerts = payments.key_by(lambda payment: payment["account"]).process(FraudDetector()).uid("fraud-detector")
    alerts.map(json.dumps, Types.STRING()).sink_to(sink)
    env.execute("fraud detection")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Tell of a small payment that a large one follows within a minute.")
    parser.add_argument("--bootstrap-servers", default="localhost:9092")
    parser.add_argument("--input", default="in")
    parser.add_argument("--output", default="out")
    arguments = parser.parse_args()
    main(arguments.bootstrap_servers, arguments.input, arguments.output)
