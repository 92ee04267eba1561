"""Parts that have no translation: each becomes a mark, and the rest is ported.

Ported by kafkastream port from Unported.java.
"""

from __future__ import annotations

from typing import Any

from kafkastream.datastream import StreamExecutionEnvironment

# TODO(port) Unported.java:7: Jedis has no counterpart
#     private static final Jedis CACHE = new Jedis("localhost");


# TODO(port) Unported.java:9: RichSinkFunction has no counterpart
#     static class RedisSink extends RichSinkFunction<String> {
class RedisSink:
    def invoke(self, value: str, context: Any) -> None:
        # TODO(port) Unported.java:12: Jedis.set has no counterpart
        #     CACHE.set(value, "1");
        pass


def first(table: list[list[int]], limit: int) -> int:
    # TODO(port) Unported.java:17: this is not read
    #     outer:
    #     for (int[] row : table) {
    #         for (int cell : row) {
    #             if (cell > limit) {
    #                 break outer;
    #             }
    #         }
    #     }
    i = 0
    cells = table[0]
    # TODO(port) Unported.java:27: Python has no ++ within an expression
    #     return cells[i++];
    raise NotImplementedError("Unported.java:27 is not translated")


def main() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    # TODO(port) Unported.java:32: a sink of your own is a subclass of Sink: see docs/contributing.md, A sink
    #     env.fromElements("a", "b").addSink(new RedisSink());
    env.from_elements("a", "b").map(str.upper).print()
    env.execute()


if __name__ == "__main__":
    main()
