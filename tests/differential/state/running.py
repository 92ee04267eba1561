"""Runs the cases as jobs. ``record.py`` runs this text with ``pyflink`` in the place of ``kafkastream``."""

from __future__ import annotations

import ast
import sys
from typing import Any

from kafkastream.common import Configuration, Types, WatermarkStrategy
from kafkastream.common.watermark_strategy import TimestampAssigner
from kafkastream.datastream import StreamExecutionEnvironment

MODES = {"process": ("process", "1000"), "bundles of one": ("process", "1"), "thread": ("thread", "1000")}


class SecondField(TimestampAssigner):
    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        return int(value[1])


def environment(mode: str) -> StreamExecutionEnvironment:
    configuration = Configuration()
    execution, bundle = MODES[mode]
    configuration.set_string("python.execution-mode", execution)
    configuration.set_string("python.fn-execution.bundle.size", bundle)
    configuration.set_string("python.fn-execution.bundle.time", "100000")
    configuration.set_string("python.executable", sys.executable)
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(1)
    return env


def answers_of(mode: str, function: Any, cases: dict[str, Any]) -> dict[str, Any]:
    """What a function answers to the steps of each case; those of all cases alternate, unless they sleep."""
    elements = [(case, number, step) for case, steps in cases.items() for number, step in enumerate(steps)]
    if function.life is None:
        elements.sort(key=lambda element: element[1])
    keyed = environment(mode).from_collection(elements).key_by(lambda element: element[0], Types.STRING())
    found: dict[str, Any] = {}
    with keyed.process(function, Types.STRING()).execute_and_collect() as lines:
        for case, _, answers in map(ast.literal_eval, lines):
            found.setdefault(case, []).append(answers)
    return found


def lines_of(elements: list[Any], programs: dict[str, Any]) -> dict[str, Any]:
    """What windowed programs give as one job; the error where Flink refuses it."""
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(SecondField())
    stream = environment("process").from_collection(elements).assign_timestamps_and_watermarks(strategy)
    keyed = stream.key_by(lambda element: element[0], Types.STRING())
    streams = [build(keyed).map(named(name), Types.STRING()) for name, build in programs.items()]
    found: dict[str, Any] = {name: [] for name in programs}
    try:
        with (streams[0].union(*streams[1:]) if streams[1:] else streams[0]).execute_and_collect() as lines:
            for name, _, line in (one.partition("\t") for one in lines):
                found[name].append(line)
    except Exception as error:  # noqa: BLE001 - the record says that Flink refuses
        causes = [line for line in str(error).splitlines() if line.startswith(("Exception: ", "AttributeError: "))]
        return {name: {"error": causes[-1] if causes else str(error)[-2000:]} for name in programs}
    return found


def named(name: str) -> Any:
    return lambda line: f"{name}\t{line}"
