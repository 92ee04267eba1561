"""Counts words, in lines that the program holds.

Words of fewer than --shortest letters are left out.

Ported by kafkastream port from WordCount.java.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from kafkastream.common import Types
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.util.java_values import java_split, java_text
from kafkastream.util.parameter_tool import ParameterTool

LINES: list[str] = ["To be, or not to be", "that is the question"]


def main(args: list[str]) -> None:
    params = ParameterTool.from_args(args)
    shortest = params.get_int("shortest", 1)
    env = StreamExecutionEnvironment.get_execution_environment()
    env.get_config().set_global_job_parameters(params.to_map())
    env.set_parallelism(1)
    # bounded
    lines = env.from_collection(LINES)

    def flat_map_line(line: str) -> Iterator[Any]:
        for word in java_split(line.lower(), r"\W+"):
            if len(word) >= shortest:
                yield word, 1

    counts = (
        lines.flat_map(flat_map_line, output_type=Types.TUPLE([Types.STRING(), Types.INT()]))
        .key_by(lambda pair: pair[0])
        .sum(1)
    )
    counts.map(lambda pair: f"{java_text(pair[0])}: {pair[1]}").print()
    env.execute("word count")


if __name__ == "__main__":
    main(sys.argv[1:])
