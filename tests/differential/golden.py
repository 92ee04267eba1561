"""Writes what real PyFlink gives: ``python -m tests.differential.golden PYTHON [MODULE[.PROGRAM] …]``.

PYTHON has apache-flink. The connector of Kafka is fetched with Maven, once.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import platformdirs

from kafkastream.testing import EmbeddedKafka, KafkaBroker
from tests.differential.alias import pyflink_alias
from tests.differential.feed import Feed, by_stream, write_topics
from tests.differential.ours import given, printed_by_program
from tests.differential.program import MODULES, Program, programs

GOLDEN = Path(__file__).parent / "golden"
ROOT = Path(__file__).parents[2]
JARS = ("org.apache.flink:flink-sql-connector-kafka:4.0.1-2.0",)
STEPPED_AT_ONCE = 12


def golden(module: str) -> dict[str, Any]:
    """What is checked in of a module."""
    path = GOLDEN / f"{module}.json"
    return json.loads(path.read_text()) if path.exists() else {"apache-flink": "", "programs": {}}


def main(python: str, wanted: Sequence[str]) -> None:
    version = version_of(python)
    with EmbeddedKafka() as kafka, pyflink_alias():
        for module in MODULES:
            chosen = [one for one in programs(module) if not wanted or {module, str(one)} & set(wanted)]
            if chosen:
                found = _Flink(python, kafka, module).found(chosen)
                _write(module, version, found)


def version_of(python: str) -> str:
    """The version of apache-flink that a Python has."""
    code = "from importlib.metadata import version; print(version('apache-flink'))"
    return subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def _write(module: str, version: str, found: dict[str, Any]) -> None:
    kept = golden(module)["programs"]
    names = [one.name for one in programs(module)]
    content = {"apache-flink": version, "programs": {n: {**kept, **found}[n] for n in names if n in {**kept, **found}}}
    (GOLDEN / f"{module}.json").write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


class _Flink:
    def __init__(self, python: str, kafka: KafkaBroker, module: str) -> None:
        self._python = python
        self._kafka = kafka
        self._module = module

    def found(self, chosen: Sequence[Program]) -> dict[str, Any]:
        """What each program gave, by its name."""
        bounded = [one for one in chosen if not one.steps]
        stepped = [one for one in chosen if one.steps]
        found = self._bounded(bounded) if bounded else {}
        for at in range(0, len(stepped), STEPPED_AT_ONCE):
            found |= self._stepped(stepped[at : at + STEPPED_AT_ONCE])
        return found

    def _bounded(self, chosen: Sequence[Program]) -> dict[str, Any]:
        for program in chosen:
            write_topics(self._kafka, program)
        with tempfile.TemporaryDirectory() as folder, self._running("bounded", chosen, folder) as process:
            output, _ = process.communicate(timeout=120 * len(chosen))
            results = json.loads((Path(folder) / "result").read_text())
        runs = output.split("running ")[1:]  # of which a later one repeats what has failed in an earlier one
        found = {}
        for program in chosen:
            result = results[program.name]
            printed = printed_by_program([run for run in runs if str(program) in run.splitlines()[0].split(", ")][-1])
            found[program.name] = given(
                program, by_stream(result.pop("lines", [])).get(str(program), {}), printed, self._kafka
            )
            if "error" in result:
                found[program.name] = {"error": result["error"], "message": result["message"]}
                print(f"{program}: {result['message']}")
        return found

    def _stepped(self, chosen: Sequence[Program]) -> dict[str, Any]:
        feed = Feed(self._kafka, chosen)
        feed.create()
        found: dict[str, Any] = {one.name: {"steps": []} for one in chosen}
        with self._running("stepped", chosen, "", feed) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if line.startswith("STARTED"):
                    break
            for number in feed.steps:
                feed.write(number)
                self._await_silence(feed, process, 5 if number == 0 else 2.5)
                came = by_stream(feed.take())
                for program in chosen:
                    if number < len(program.steps):
                        step = {"in": program.steps[number], **came.get(str(program), {})}
                        found[program.name]["steps"].append(step)
            process.communicate("\n", timeout=60)
            if process.returncode:
                raise RuntimeError(f"the job of {', '.join(map(str, chosen))} has failed")
        return found

    def _await_silence(self, feed: Feed, process: subprocess.Popen[str], seconds: float) -> None:
        """Until nothing has come for so long; the first step waits for Flink's workers of Python, too."""
        count, since, began = -1, time.monotonic(), time.monotonic()
        while time.monotonic() - since < seconds or (seconds > 3 and count <= 0 and time.monotonic() - began < 60):
            assert process.poll() is None, "Flink has ended"
            if (now := feed.waiting()) != count:
                count, since = now, time.monotonic()
            time.sleep(0.2)

    @contextmanager
    def _running(
        self, kind: str, chosen: Sequence[Program], folder: str, feed: Feed | None = None
    ) -> Iterator[subprocess.Popen[str]]:
        request = {
            "module": self._module,
            "programs": [one.name for one in chosen],
            "kind": kind,
            "jars": jars(),
            "servers": self._kafka.bootstrap_servers,
            "result": str(Path(folder) / "result"),
            "source": feed and feed.source,
            "target": feed and feed.target,
        }
        process = subprocess.Popen(
            [self._python, "-m", "tests.differential.on_flink"],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "TZ": "UTC"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def jars() -> list[str]:
    """The jars of Flink's connector, fetched if need be."""
    folder = Path(platformdirs.user_cache_dir("kafkastream")) / "differential"
    for artifact in JARS:
        _, name, version = artifact.split(":")
        if not (folder / f"{name}-{version}.jar").exists():
            command = ["mvn", "-q", "dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={folder}"]
            subprocess.run(command, check=True)
    return [str(folder / f"{name}-{version}.jar") for _, name, version in (artifact.split(":") for artifact in JARS)]


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
