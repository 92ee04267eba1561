"""What mypy knows of the elements that a harness and a driver take and give."""

from __future__ import annotations

from typing_extensions import reveal_type

from kafkastream.common import SimpleStringSchema, Types
from kafkastream.datastream import DataStream, OutputTag
from kafkastream.datastream.state import MapStateDescriptor, ValueStateDescriptor
from kafkastream.testing import JobTestDriver, StreamHarness

TOTAL = ValueStateDescriptor("total", Types.LONG())
RULES = MapStateDescriptor("rules", Types.STRING(), Types.INT())
LATE = OutputTag("late", Types.FLOAT())


def lengths(words: DataStream[str]) -> DataStream[int]:
    return words.map(len, Types.INT())


def both(words: DataStream[str], numbers: DataStream[float]) -> DataStream[int]:
    return words.map(len, Types.INT())


harness = StreamHarness(lengths)
reveal_type(harness)  # reveals: StreamHarness[str, Never, int]
harness.send("a", timestamp=1)
harness.send(1)  # error: incompatible type "int"; expected "str"
harness.send_second("a")  # error: incompatible type "str"; expected "Never"
reveal_type(harness.output)  # reveals: list[int]
reveal_type(harness.timestamped_output)  # reveals: list[tuple[int, int | None]]
reveal_type(harness.side_output(LATE))  # reveals: list[float]
reveal_type(harness.state.get(TOTAL, "key"))  # reveals: int | None
reveal_type(harness.state.broadcast(RULES))  # reveals: dict[str, int]

driver = JobTestDriver.of(lambda: None)
reveal_type(driver.values("out"))  # reveals: list[bytes | None]
reveal_type(driver.values("out", SimpleStringSchema()))  # reveals: list[str | None]

connected = StreamHarness(both)
reveal_type(connected)  # reveals: StreamHarness[str, float, int]
connected.send_second("a")  # error: incompatible type "str"; expected "float"

typed = StreamHarness(lambda numbers: numbers.map(lambda number: number.bit_length(), Types.INT()), Types.INT())
reveal_type(typed)  # reveals: StreamHarness[int, Never, int]
typed.send("a")  # error: incompatible type "str"; expected "int"

untyped = StreamHarness(lambda numbers: numbers.map(str, Types.STRING()))
untyped.send(1)
untyped.send("a")
reveal_type(untyped.output)  # reveals: list[str]
