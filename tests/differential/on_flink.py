"""Runs programs on real PyFlink: ``python -m tests.differential.on_flink`` with a Python that has apache-flink.

Its standard input holds a request in JSON. Bounded programs are run one after the other, and what they gave is written to a
file in JSON; stepped ones are one job, which ends with the standard input.
"""

from __future__ import annotations

import json
import sys
import traceback
from pathlib import Path
from typing import Any

from pyflink.common import Configuration, JobStatus
from pyflink.datastream import RuntimeExecutionMode, StreamExecutionEnvironment

from tests.differential.assembly import build_stepped, lines_of, united
from tests.differential.program import SETTINGS, Program, programs


def environment(jars: list[str], watermarks_every: str, **more: str) -> StreamExecutionEnvironment:
    configuration = Configuration()
    given = {
        "python.executable": sys.executable,
        "pipeline.auto-watermark-interval": watermarks_every,
        "python.fn-execution.bundle.time": "50",
        **SETTINGS,
        **more,
    }
    for key, value in given.items():
        configuration.set_string(key, value)
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(1)
    if jars:
        env.add_jars(*[Path(jar).as_uri() for jar in jars])
    return env


def run_bounded(chosen: list[Program], request: dict[str, Any]) -> dict[str, Any]:
    """The lines of programs that are one job; where that fails, each is one, and those that fail alone have an error."""
    shared = [one for one in chosen if not one.alone]
    found: dict[str, Any] = {}
    for batch in (False, True):
        group = [one for one in shared if one.batch is batch]
        found |= {one.name: result for one, result in attempted(group, request) if "error" not in result}
    for program in chosen:
        if program.name not in found:
            found |= {one.name: result for one, result in attempted([program], request)}
    return found


def attempted(group: list[Program], request: dict[str, Any]) -> list[tuple[Program, dict[str, Any]]]:
    if not group:
        return []
    print(f"running {', '.join(map(str, group))}", flush=True)
    # In BATCH, PyFlink takes a key's state away while its elements are in a bundle, and waits for ever with windows.
    one_by_one = {"python.fn-execution.bundle.size": "1"} if group[0].batch else {}
    env = environment(request["jars"], "60 s", **one_by_one)  # no watermark amid the elements, which are there at once
    env.set_runtime_mode(RuntimeExecutionMode.BATCH if group[0].batch else RuntimeExecutionMode.STREAMING)
    try:
        shown: list[Any] = []
        for program in group:
            names = {label: f"{program.name}-{label}" for label in program.topics}
            arguments = [request["servers"], names] if names else []
            shown += lines_of(program, program.build(env, *arguments))
        lines: list[str] = []
        if shown:
            with united(shown).execute_and_collect() as collected:
                lines = list(collected)
        elif not any(program.executes for program in group):
            env.execute()
    except Exception as error:  # noqa: BLE001 - the golden says that Flink refuses
        traceback.print_exc()
        causes = [line for line in str(error).splitlines() if line.startswith("Caused by: ")] or [str(error)]
        failure = {"error": type(error).__name__, "message": causes[-1].removeprefix("Caused by: ")[:300]}
        return [(program, failure) for program in group]
    return [(program, {"lines": [line for line in lines if line.startswith(f"{program}\t")]}) for program in group]


def run_stepped(chosen: list[Program], request: dict[str, Any]) -> None:
    env = environment(request["jars"], "1 s")  # behind the elements of a step
    build_stepped(env, chosen, request["servers"], request["source"], request["target"])
    job = env.execute_async("stepped")
    print("STARTED", flush=True)
    sys.stdin.readline()
    if job.get_job_status().result() != JobStatus.RUNNING:
        job.get_job_execution_result().result()  # which raises what has failed
    job.cancel().result()


def main() -> None:
    request = json.loads(sys.stdin.readline())
    chosen = [one for one in programs(request["module"]) if one.name in request["programs"]]
    if request["kind"] == "stepped":
        run_stepped(chosen, request)
        return
    Path(request["result"]).write_text(json.dumps(run_bounded(chosen, request)))


if __name__ == "__main__":
    main()
