"""Ported by kafkastream port from SensorAverages.java."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import attrs
from kafkastream.common import Duration, WatermarkStrategy
from kafkastream.datastream import AggregateFunction, OutputTag, ProcessWindowFunction, StreamExecutionEnvironment
from kafkastream.datastream.window import TumblingEventTimeWindows
from kafkastream.util.java_values import java_quotient, java_text

LATE_READINGS: OutputTag[Reading] = OutputTag("late")


@attrs.frozen
class Reading:
    sensor: str
    time: int
    celsius: float

    def __str__(self) -> str:
        return f"Reading[sensor={java_text(self.sensor)}, time={self.time}, celsius={java_text(self.celsius)}]"

    def fahrenheit(self) -> float:
        return self.celsius * 9 / 5 + 32


class Average(AggregateFunction):
    def create_accumulator(self) -> tuple[float, int]:
        return (0.0, 0)

    def add(self, reading: Reading, acc: tuple[float, int]) -> tuple[float, int]:
        acc = (acc[0] + reading.fahrenheit(), acc[1])
        acc = (acc[0], acc[1] + 1)
        return acc

    def get_result(self, acc: tuple[float, int]) -> float:
        return acc[0] / acc[1]

    def merge(self, a: tuple[float, int], b: tuple[float, int]) -> tuple[float, int]:
        return (a[0] + b[0], a[1] + b[1])


class WithWindow(ProcessWindowFunction):
    def process(self, key: str, context: ProcessWindowFunction.Context, averages: Iterable[float]) -> Iterator[str]:
        average = next(iter(averages))
        yield f"{java_text(key)}@{java_quotient(context.window().get_end(), 1000)}={java_text(math.floor(average * 10 + 0.5) / 10.0)}"


def main() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    strategy = (
        WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(1))
        .with_timestamp_assigner(lambda reading, timestamp: reading.time)
    )
    averages = (
        env.from_elements(
            Reading("a", 1000, 20.0), Reading("b", 2000, 10.0), Reading("a", 9000, 30.0), Reading("a", 12000, 0.0)
        )
        .assign_timestamps_and_watermarks(strategy)
        .key_by(lambda reading: reading.sensor)
        .window(TumblingEventTimeWindows.of(Duration.of_seconds(10)))
        .allowed_lateness(Duration.of_seconds(5).to_millis())
        .side_output_late_data(LATE_READINGS)
        .aggregate(Average(), WithWindow())
    )
    averages.print()
    averages.get_side_output(LATE_READINGS).map(lambda reading: f"late: {java_text(reading)}").print()
    env.execute("averages")


if __name__ == "__main__":
    main()
