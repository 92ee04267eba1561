"""Runs programs on Spark: all that are bounded are one job, all that are stepped another."""

from __future__ import annotations

import io
import re
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout, suppress
from itertools import product
from typing import TYPE_CHECKING, Any

from kafkastream.common import Configuration
from kafkastream.datastream import RuntimeExecutionMode, StreamExecutionEnvironment
from kafkastream.errors import KafkastreamError
from kafkastream.spark.job.latency_mode import latency_refusal
from kafkastream.testing import wait_until
from tests.differential.feed import Feed, by_stream, read_topics, write_topics
from tests.differential.program import SETTINGS, Program
from tests.queries import active_queries

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kafkastream.common import JobClient
    from kafkastream.testing import KafkaBroker

__all__ = ["Found", "failure", "given", "run_bounded", "run_stepped", "runs_in_latency_mode"]

Found = dict[str, Any]
_PATIENCE_S = 8.0
_PRINTED = re.compile(r"(\w+)(?::\d+)?> .*")


def run_bounded(
    programs: Sequence[Program], kafka: KafkaBroker, *, in_latency_mode: bool = False
) -> Mapping[str, Found]:
    """What each program gave, by its name; those of one mode share a job, and so do those with topics."""
    found: dict[str, Found] = {}
    shared = [one for one in programs if not one.alone]
    groups = [
        [one for one in shared if (one.batch, bool(one.topics)) == kind] for kind in product((False, True), repeat=2)
    ]
    for group in [*groups, *([one] for one in programs if one.alone)]:
        if group:
            found |= _together(group, kafka, in_latency_mode=in_latency_mode)
    return found


def failure(program: Program, kafka: KafkaBroker) -> Found:
    """What a program that fails on Flink gave, as a job of its own."""
    try:
        return run_bounded([program], kafka)[str(program)]
    except KafkastreamError as error:
        return {"error": type(error).__name__, "message": str(error)}


def _together(programs: Sequence[Program], kafka: KafkaBroker, *, in_latency_mode: bool) -> Mapping[str, Found]:
    from tests.differential.assembly import lines_of, united

    env = _environment().set_buffer_timeout(0 if in_latency_mode else -1)
    if programs[0].batch:
        env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    prefix = f"{uuid.uuid4().hex[:8]}-"
    shown: list[Any] = []
    lines: list[str] = []
    found: dict[str, Found] = {}
    with redirect_stdout(io.StringIO()) as output:
        for program in programs:
            names = write_topics(kafka, program, prefix)
            arguments = [kafka.bootstrap_servers, names] if names else []
            try:
                shown += lines_of(program, program.build(env, *arguments))
            except Exception as error:  # noqa: BLE001 - one that is refused is no reason to leave the others out
                found[str(program)] = {"error": type(error).__name__, "message": str(error)}
        if shown:
            lines = list(united(shown).execute_and_collect("bounded"))
        elif not any(program.executes for program in programs):
            env.execute("bounded")
    printed = printed_by_program(output.getvalue())
    streams = by_stream(lines)
    for program in programs:
        if str(program) not in found:
            found[str(program)] = given(program, streams.get(str(program), {}), printed, kafka, prefix)
    return found


def run_stepped(
    programs: Sequence[Program], expected: Mapping[str, Any], kafka: KafkaBroker, spark: SparkSession
) -> Mapping[str, Found]:
    """What each program gave, step by step, by its name."""
    from tests.differential.assembly import build_stepped

    feed = Feed(kafka, programs)
    feed.create()
    env = _environment()
    build_stepped(env, programs, kafka.bootstrap_servers, feed.source, feed.target)
    found: dict[str, Found] = {str(one): {"steps": []} for one in programs}
    patience_s = _PATIENCE_S
    feed.write(0)
    job = env.execute_async(f"stepped {feed.id}")
    try:
        for number in feed.steps:
            if number:
                feed.write(number)
            _await_processed(job, feed.id, spark)
            patience_s = _await_lines(feed, _expected(expected, programs, number), patience_s)
            came = by_stream(feed.take())
            for program in programs:
                if number < len(program.steps):
                    found[str(program)]["steps"].append({"in": program.steps[number], **came.get(str(program), {})})
    finally:
        job.cancel().result()
        feed.delete()
    return found


def runs_in_latency_mode(program: Program) -> bool:
    """Whether a program reads topics, and all of it can run in latency mode."""
    from tests.differential.assembly import lines_of, united

    if not program.topics or program.alone or program.executes or program.batch:
        return False
    env = _environment()
    shown = lines_of(program, program.build(env, "nowhere:1", {name: name for name in program.topics}))
    if shown:
        united(shown).print()
    return all(latency_refusal(part) is None for part in env._graph().components())


def _environment() -> StreamExecutionEnvironment:
    configuration = Configuration()
    for key, value in SETTINGS.items():
        configuration.set_string(key, value)
    return StreamExecutionEnvironment.get_execution_environment(configuration).set_parallelism(1)


def _expected(golden: Mapping[str, Any], programs: Sequence[Program], number: int) -> int:
    """How many lines Flink gave in a step."""
    steps = (golden.get(str(one), {}).get("steps", []) for one in programs)
    return sum(
        len(lines) for of in steps for name, lines in (of[number] if number < len(of) else {}).items() if name != "in"
    )


def _await_lines(feed: Feed, count: int, patience_s: float) -> float:
    """Until so many lines are there; returns how long the next may wait, which is not at all when these were too few."""
    deadline = time.monotonic() + patience_s
    while feed.waiting() < count:
        if time.monotonic() > deadline:
            return 0
        time.sleep(0.1)
    return patience_s


def _await_processed(job: JobClient, name: str, spark: SparkSession) -> None:
    """Until all that is there has been read, and the operators have heard how far time has come."""
    from pyspark.errors import StreamingQueryException

    ended = job.get_job_execution_result()

    def query() -> Any:
        if ended.done():
            ended.result()
        return next((one for one in active_queries(spark) if name in (one.name or "")), None)

    with suppress(StreamingQueryException):  # which the job tells better
        wait_until(query, 60, "the query").processAllAvailable()
        return
    ended.result(30)


def printed_by_program(output: str) -> dict[str, list[str]]:
    """The printed lines that begin with a program's name, sorted by it."""
    printed: dict[str, list[str]] = {}
    for line in output.splitlines():
        if match := _PRINTED.fullmatch(line):
            printed.setdefault(match[1], []).append(line)
    return printed


def given(
    program: Program, streams: dict[str, list[str]], printed: dict[str, list[str]], kafka: KafkaBroker, prefix: str = ""
) -> Found:
    """All that a bounded program has given: streams, lines that it printed, topics."""
    found: Found = {"streams": streams} if streams else {}
    if program.name in printed:
        found["printed"] = printed[program.name]
    if topics := read_topics(kafka, program, prefix):
        found["topics"] = topics
    return found
