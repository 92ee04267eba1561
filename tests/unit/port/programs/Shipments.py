"""Shipments that are read from JSON, counted and printed.

Ported by kafkastream port from Shipments.java.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import attrs
from kafkastream.common import Duration, Types, WatermarkStrategy
from kafkastream.datastream import DataStream, FlatMapFunction, StreamExecutionEnvironment
from kafkastream.datastream.connectors.data_gen import DataGeneratorSource
from kafkastream.datastream.connectors.kafka import ConsumerRecord, KafkaRecordDeserializationSchema
from kafkastream.datastream.formats.json import object_of_json, resolve_annotations
from kafkastream.datastream.window import CountEvictor, CountTrigger, GlobalWindows
from kafkastream.util.gson import Gson
from kafkastream.util.java_values import java_compare, java_header, java_min, java_properties, java_text

PLAIN = Gson(escapes_html=False)


class Origins(KafkaRecordDeserializationSchema):
    def deserialize(self, record: ConsumerRecord) -> Iterator[str]:
        origin = java_header(record.headers, "origin")
        if origin is not None:
            yield f"{origin[1].decode()} at {java_text(record.timestamp_type.label)}"


@attrs.define(eq=False, init=False)
class Total:
    to: str = attrs.field(default=None)
    way: Duration = attrs.field(default=None)

    def __init__(self, shipment: Shipment | None = None) -> None:
        self.__attrs_init__()
        if shipment is None:
            return
        self.to = shipment.to
        self.way = Duration.of(shipment.seen - shipment.sent)

    def plus(self, other: Total) -> Total:
        if other is None:
            raise TypeError()
        if not self.to == other.to:
            raise ValueError("another place")
        sum_ = Total()
        sum_.to = self.to
        sum_.way = (
            self.way
            if java_compare(self.way, Duration.of_hours(1)) > 0
            else Duration.of_nanos(self.way.to_nanos() + other.way.to_nanos())
        )
        return sum_


class Reader(FlatMapFunction):
    def flat_map(self, text: str) -> Iterator[Shipment]:
        try:
            yield object_of_json(text, Shipment)
        except (OSError, ValueError):
            print(f"not a shipment: {java_text(text)}")


@attrs.define(eq=False)
class Shipment:
    to: str
    weight: int = attrs.field(default=None)
    sent: datetime = attrs.field(default=None)
    seen: datetime = attrs.field(default=None)

    def first(self) -> datetime:
        return java_min([self.sent, self.seen])

    def label(self) -> str:
        return f"{java_text(self.to)}: {java_text(self.weight)} kg, {java_text(self.first())}"


def describe(what: str) -> str:
    return describe_2(what, 1)


def describe_2(what: str, number: int) -> str:
    return f'{{"to": "{java_text(what)}", "weight": {number}}}'


def count(shipments: DataStream[Shipment], printing: Any) -> None:
    printing(
        shipments.map(lambda shipment: (shipment.label(), 1), output_type=Types.TUPLE([Types.STRING(), Types.INT()]))
        .key_by(lambda pair: pair[0])
        .window(GlobalWindows.create())
        .trigger(CountTrigger.of(2))
        .evictor(CountEvictor.of(4))
        .sum(1)
    )
    shipments.map(lambda shipment: PLAIN.to_json(shipment)).map(java_text).print()


resolve_annotations(Shipment)


def main() -> None:
    settings: dict[str, str] = {}
    with open(Path(__file__).with_name("shop.properties"), encoding="utf-8") as stream:
        settings.update(java_properties(stream))
    env = StreamExecutionEnvironment.get_execution_environment()
    text = lambda index: describe_2("parcel", int(index))
    lines = env.from_source(DataGeneratorSource(text, 5, Types.STRING()), WatermarkStrategy.no_watermarks(), "lines")
    count(lines.flat_map(Reader()), lambda counts: counts.map(java_text).print("counts"))
    env.execute(describe("shipments"))


if __name__ == "__main__":
    main()
