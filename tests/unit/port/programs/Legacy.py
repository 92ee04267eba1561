"""Flink's API before version 1.14.

Ported by kafkastream port from Legacy.java.
"""

from __future__ import annotations

from typing import Any

from kafkastream.common import Duration, SimpleStringSchema, Time, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment, TimeCharacteristic
from kafkastream.datastream.connectors.kafka import FlinkKafkaConsumer, FlinkKafkaProducer
from kafkastream.datastream.window import TumblingEventTimeWindows
from kafkastream.util.java_values import java_split, java_text


def main() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_stream_time_characteristic(TimeCharacteristic.EventTime)
    props: dict[str, str] = {}
    props["bootstrap.servers"] = "localhost:9092"

    def map_line(line: str) -> Any:
        parts = java_split(line, ",")
        return (parts[0], int(parts[1]), 1)

    (
        env.add_source(FlinkKafkaConsumer("in", SimpleStringSchema(), props))
        .map(map_line)
        .assign_timestamps_and_watermarks(
            WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(Time.seconds(5).to_milliseconds()))
            .with_timestamp_assigner(lambda element, record_timestamp: element[1])
        )
        .key_by(lambda value: value[0])
        .window(TumblingEventTimeWindows.of(Time.minutes(1)))
        .sum(2)
        .map(java_text)
        .add_sink(FlinkKafkaProducer("out", SimpleStringSchema(), props))
    )
    env.execute("legacy")


if __name__ == "__main__":
    main()
