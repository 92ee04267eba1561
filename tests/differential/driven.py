"""Runs programs in this process, by the test driver."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kafkastream.common import Configuration
from kafkastream.datastream import RuntimeExecutionMode, StreamExecutionEnvironment
from kafkastream.errors import KafkastreamError
from kafkastream.testing import JobTestDriver, WrittenRecord
from tests.differential.feed import STEP_MS, by_stream
from tests.differential.ours import printed_by_program
from tests.differential.program import SETTINGS, WAIT, WAIT_S, Program

__all__ = ["found_by_driver"]

_SERVERS = "nowhere:1"
_PATIENCE = 80
"""Tenths of a second of processing time that pass at most until the lines of a step have come."""


def found_by_driver(program: Program, golden: Mapping[str, Any]) -> dict[str, Any]:
    """What a program gives on the driver, in the form of the golden results, which say how many lines to wait for."""
    try:
        return _stepped(program, golden) if program.steps else _bounded(program)
    except KafkastreamError as error:
        return {"error": type(error).__name__, "message": str(error)}


def _bounded(program: Program) -> dict[str, Any]:
    from tests.differential.assembly import lines_of, united

    env = _environment()
    if program.batch:
        env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    names = {label: f"{program.name}-{label}" for label in program.topics}
    shown = lines_of(program, program.build(env, *([_SERVERS, names] if names else [])))
    if shown:
        united(shown).map(_same).uid("lines")
    partitions = {names[label]: topic.partitions for label, topic in program.topics.items()}
    with JobTestDriver.of(env, partitions=partitions) as driver:
        for label, topic in program.topics.items():
            if topic.records:
                source = driver.source(names[label])
                with driver.micro_batch():
                    for place, (key, value) in enumerate(topic.records):
                        source.send(value, key=key, timestamp=(place + 1) * STEP_MS, partition=place % topic.partitions)
        driver.finish()
        lines = driver.sink("lines") if shown else []
        found: dict[str, Any] = {}
        if streams := by_stream(lines).get(str(program)):
            found["streams"] = streams
        if printed := printed_by_program("\n".join(driver.printed)).get(program.name):
            found["printed"] = printed
        empty = [label for label, topic in program.topics.items() if not topic.records]
        if empty:
            found["topics"] = {
                label: [
                    f"{one.key!r}: {one.value!r} in {one.partition}" for one in _in_partitions(driver, names[label])
                ]
                for label in empty
            }
        return found


def _in_partitions(driver: JobTestDriver, topic: str) -> list[WrittenRecord]:
    return sorted(driver.topic(topic), key=lambda record: record.partition)


def _same(line: str) -> str:
    return line


def _stepped(program: Program, golden: Mapping[str, Any]) -> dict[str, Any]:
    from tests.differential.assembly import build_stepped

    env = _environment()
    build_stepped(env, [program], _SERVERS, "steps", "lines")
    steps: list[dict[str, Any]] = []
    with JobTestDriver.of(env) as driver:
        source, seen = driver.source("steps"), 0
        for number, step in enumerate(program.steps):
            if WAIT in step:
                driver.advance(int(WAIT_S * 1000))
            with driver.micro_batch():
                for element in step.replace(WAIT, "").split():
                    source.send(f"{program} {element}", timestamp=(number + 1) * STEP_MS)
            expected = sum(len(lines) for name, lines in golden["steps"][number].items() if name != "in")
            for _ in range(_PATIENCE):
                if len(driver.topic("lines")) >= seen + expected:
                    break
                driver.advance(100)
            lines = [(record.value or b"").decode() for record in driver.topic("lines")]
            steps.append({"in": step, **by_stream(lines[seen:]).get(str(program), {})})
            seen = len(lines)
    return {"steps": steps}


def _environment() -> StreamExecutionEnvironment:
    configuration = Configuration()
    for key, value in SETTINGS.items():
        configuration.set_string(key, value)
    return StreamExecutionEnvironment.get_execution_environment(configuration).set_parallelism(1)
