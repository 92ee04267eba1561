"""Write what PyFlink gives for random graphs: run it with a Python that has apache-flink.

python -m tests.differential.mutation.golden [GRAPHS]
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

from tests.differential.mutation.graphs import INPUT, Engine, build, digest, graph

_AT_ONCE = 10


def _run(seeds: range) -> None:
    """Print the lines of some graphs; collecting them would chain operators in another order than ``execute`` does."""
    engine, configuration = Engine("pyflink"), importlib.import_module("pyflink.common").Configuration()
    configuration.set_string("python.executable", sys.executable)
    configuration.set_string("taskmanager.memory.network.max", "512mb")
    env = engine.datastream.StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(1)
    numbers = env.from_collection(INPUT, engine.types.INT())
    for seed in seeds:
        for stream in build(engine, numbers, graph(seed)):
            stream.print()
    env.execute()


def main(graphs: int) -> None:
    """Run some graphs after the other, each in a process: in that of a job that has ended, PyFlink leaves threads."""
    found: dict[str, list[str]] = {str(seed): [] for seed in range(graphs)}
    for first in range(0, graphs, _AT_ONCE):
        last = min(first + _AT_ONCE, graphs)
        command = [sys.executable, "-m", __spec__.name, str(first), str(last)]
        for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
            seed, is_line, _ = line.partition("/")
            if is_line and seed in found:
                found[seed].append(line)
        sys.stderr.write(f"{last} of {graphs}\n")
    version = importlib.import_module("pyflink.version").__version__
    content = {"pyflink": version, "graphs": {seed: digest(lines) for seed, lines in found.items()}}
    Path(__file__).with_name("golden.json").write_text(json.dumps(content, indent=0) + "\n")


if __name__ == "__main__":
    os.environ["PYTHONPATH"] = str(Path(__file__).parents[3])  # of PyFlink's workers
    match [int(argument) for argument in sys.argv[1:]]:
        case [first, last]:
            _run(range(first, last))
        case given:
            main(*given or [200])
