from __future__ import annotations

from typing_extensions import reveal_type

from kafkastream.common import Duration, Time, TimestampAssigner, WatermarkGenerator, WatermarkOutput, WatermarkStrategy


class Order:
    time: int


class OrderTime(TimestampAssigner[Order]):
    def extract_timestamp(self, value: Order, record_timestamp: int) -> int:
        return value.time


class UnportedTime(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):  # strict: missing a type annotation
        return value.time


class Punctuated(WatermarkGenerator[Order]):
    def on_event(self, event: Order, event_timestamp: int, output: WatermarkOutput) -> None:
        output.emitWatermark(event.time)

    def on_periodic_emit(self, output: WatermarkOutput) -> None:
        output.markIdle()


class Unfinished(TimestampAssigner[Order]):
    pass


def order_time(order: Order, record_timestamp: int) -> int:
    return order.time


def of_orders(strategy: WatermarkStrategy[Order]) -> None: ...


def of_texts(strategy: WatermarkStrategy[str]) -> None: ...


minute = Duration.of_minutes(1)
bounded = WatermarkStrategy.for_bounded_out_of_orderness(minute)
reveal_type(bounded)  # reveals: WatermarkStrategy[Any]
reveal_type(bounded.with_timestamp_assigner(OrderTime()))  # reveals: WatermarkStrategy[Order]
reveal_type(bounded.with_timestamp_assigner(order_time))  # reveals: WatermarkStrategy[Order]
reveal_type(bounded.with_timestamp_assigner(lambda order, _: order.time))  # reveals: WatermarkStrategy[Any]
reveal_type(bounded.with_timestamp_assigner(UnportedTime()))  # reveals: WatermarkStrategy[Any]
reveal_type(bounded.with_timestamp_assigner(OrderTime()).with_idleness(minute))  # reveals: WatermarkStrategy[Order]
reveal_type(bounded.withTimestampAssigner(OrderTime()).withIdleness(minute))  # reveals: WatermarkStrategy[Order]
reveal_type(WatermarkStrategy.forBoundedOutOfOrderness(minute))  # reveals: WatermarkStrategy[Any]
reveal_type(WatermarkStrategy.forGenerator(Punctuated))  # reveals: WatermarkStrategy[Order]
reveal_type(Duration.ofMillis(5).toMillis())  # reveals: int
strategy: WatermarkStrategy[Order] = bounded.with_timestamp_assigner(lambda order, _: order.time)
of_orders(WatermarkStrategy.no_watermarks())
of_orders(bounded.with_timestamp_assigner(OrderTime()))
of_orders(bounded.with_timestamp_assigner(lambda order, record_timestamp: order.time))
of_orders(bounded.with_timestamp_assigner(lambda order, _: order.tim))  # error: "Order" has no attribute "tim"
of_texts(bounded.with_timestamp_assigner(OrderTime()))  # error: incompatible type
bounded.with_timestamp_assigner(lambda order: order.time)  # error: incompatible type
Unfinished()  # error: Cannot instantiate abstract class
bounded.with_idleness(Time.seconds(1))  # error: expected "Duration"
bounded.with_idleness(5)  # error: expected "Duration"
Duration.of_millis(1.5)  # error: expected "int"
Time.seconds(1.5)  # error: expected "int"
