"""Ported by kafkastream port from Anonymous.java."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kafkastream.datastream import MapFunction, ProcessFunction, RuntimeContext, StreamExecutionEnvironment
from kafkastream.util.java_values import java_quotient, java_text


def main() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    factor = 3
    numbers = env.from_elements(1, 2, 3, 4)
    even = numbers.filter(lambda value: value % 2 == 0)

    def map_value(value: int) -> Any:
        half = java_quotient(value, 2)
        return ("large" if half > 1 else "small", half * factor)

    pairs = even.map(map_value)
    pairs.key_by(lambda pair: pair[0]).reduce(lambda a, b: (a[0], a[1] + b[1])).map(java_text).print()

    def flat_map_value(value: int) -> Iterator[Any]:
        for i in range(value):
            yield f"{java_text(value)}/{i}"

    numbers.flat_map(flat_map_value).print()

    class Map(MapFunction):
        subtask: int
        seen: int = 0

        def open(self, runtime_context: RuntimeContext) -> None:
            self.subtask = runtime_context.get_index_of_this_subtask()

        def map(self, value: int) -> str:
            self.seen += 1
            return f"{self.subtask}:{java_text(value)}"

    numbers.map(Map()).print()

    class Process(ProcessFunction):
        def process_element(self, value: int, ctx: ProcessFunction.Context) -> Iterator[int]:
            if ctx.timestamp() is None:
                yield -value

    numbers.process(Process()).print()
    env.execute("anonymous")


if __name__ == "__main__":
    main()
