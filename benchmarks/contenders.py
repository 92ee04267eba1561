"""Who takes part, and the process that each of them lives in."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import NamedTuple

import attrs
from typing_extensions import Self

from benchmarks import process_tree
from benchmarks.serving import (
    DONE,
    GUARANTEES,
    JSON_ROWS,
    KEYED,
    LATENCY,
    MICRO_BATCHES,
    NEXMARK,
    PASS_THROUGH,
    PYTHON,
    RUNNING_COUNT,
    SQL_FILTER,
    SQL_HOPS,
    SQL_WINDOWS,
    WINDOWS,
    Task,
)

__all__ = [
    "AT_LEAST_ONCE",
    "BARE_STATE",
    "EXACTLY_ONCE",
    "KAFKASTREAM",
    "NATIVE",
    "PROMPT",
    "PROMPT_SQL",
    "PYFLINK",
    "SPARK",
    "Contender",
    "ContenderFailedError",
    "ContenderProcess",
    "Cost",
    "beside",
    "contenders",
    "name_at",
    "own_contenders",
    "watched",
]

KAFKASTREAM = "kafkastream"
SPARK = "plain Spark"
BARE_STATE = "bare transformWithState"
NATIVE = "Spark's native aggregate"
PYFLINK = "PyFlink"
AT_LEAST_ONCE = "AT_LEAST_ONCE"
EXACTLY_ONCE = "EXACTLY_ONCE"
PROMPT = f"{KAFKASTREAM}, {LATENCY}"
PROMPT_SQL = f"{KAFKASTREAM}, SQL, {LATENCY}"

_STATE_WAYS = {"rows": "transformWithState", "pandas": "transformWithStateInPandas", "apply": "applyInPandasWithState"}
_ROOT = Path(__file__).parent.parent
_RUN_S = 1800.0
_STOP_S = 30.0
_LOG_LINES = 40


@attrs.frozen
class Contender:
    """One way to do a workload.

    Args:
        name: As the table shows it.
        command: Its process.
        topic_config: The settings of the topic that it writes to.
        keeps_time: Whether its records have the timestamps of those read.
        tells_all: Whether it writes every count, and every window; Spark's own aggregates do not.
        folder: Checkout whose benchmarks and package its process imports.
        variables: Environment variables of its process.
    """

    name: str
    command: Sequence[str]
    topic_config: Mapping[str, str] = MappingProxyType({})
    keeps_time: bool = True
    tells_all: bool = True
    folder: Path = _ROOT
    variables: Mapping[str, str] = MappingProxyType({})


def beside(own: Sequence[Contender], folders: Sequence[Path]) -> tuple[Contender, ...]:
    """Contenders of this checkout, each followed by the same job as other checkouts run it."""
    return tuple(
        contender
        for one in own
        for contender in (one, *(attrs.evolve(one, name=name_at(one.name, at), folder=at) for at in folders))
    )


def name_at(name: str, folder: Path) -> str:
    """Name of a contender of another checkout."""
    return f"{name} @ {folder.name}"


def own_contenders(workload: str) -> tuple[Contender, ...]:
    """Contenders of a workload that run kafkastream."""
    return tuple(
        one for one in contenders(workload, None) if workload == GUARANTEES or one.name.partition(",")[0] == KAFKASTREAM
    )


def contenders(workload: str, pyflink: str | None) -> tuple[Contender, ...]:
    """All that do a workload, in the order in which they run."""
    if workload == GUARANTEES:
        return tuple(Contender(name, _job(guarantee=name)) for name in (AT_LEAST_ONCE, EXACTLY_ONCE, "NONE"))
    return {
        PASS_THROUGH: _pass_through,
        PYTHON: _python,
        JSON_ROWS: _engines,
        RUNNING_COUNT: _running_count,
        MICRO_BATCHES: _micro_batches,
        WINDOWS: _windows,
        SQL_FILTER: _sql_filter,
        SQL_WINDOWS: _sql_windows,
        SQL_HOPS: _sql_windows,
        **dict.fromkeys(NEXMARK, _nexmark),
    }[workload](pyflink)


def watched(pyflink: str | None) -> tuple[Contender, ...]:
    """All whose output is watched as it appears."""
    both = (EXACTLY_ONCE, AT_LEAST_ONCE)
    own = tuple(Contender(f"{KAFKASTREAM}, {name}", _job(guarantee=name)) for name in both)
    prompt = tuple(Contender(f"{PROMPT}, {name}", _job(name, LATENCY)) for name in both)
    keyed = Contender(f"{KAFKASTREAM}, {KEYED}, {AT_LEAST_ONCE}", _job(AT_LEAST_ONCE, KEYED))
    flink = [(name, _module(pyflink, "datastream_job", "pyflink", name, LATENCY)) for name in both] if pyflink else []
    queries = (Contender(f"{KAFKASTREAM}, SQL", _sql().command), Contender(PROMPT_SQL, (*_sql().command, LATENCY)))
    flink_sql = [(*one.command, LATENCY) for one in _flink_sql(pyflink)]
    return (
        *own,
        keyed,
        *prompt,
        *queries,
        *(Contender(f"{PYFLINK}, {name}", command) for name, command in flink),
        *(Contender(f"{PYFLINK}, SQL", command) for command in flink_sql),
    )


def _job(guarantee: str = AT_LEAST_ONCE, *mode: str) -> tuple[str, ...]:
    return _module(sys.executable, "datastream_job", "kafkastream", guarantee, *mode)


def _pass_through(pyflink: str | None) -> tuple[Contender, ...]:
    log_append = {"message.timestamp.type": "LogAppendTime"}
    native = f"{KAFKASTREAM}, to a LogAppendTime topic"
    return (
        Contender(native, _job(), log_append, keeps_time=False),
        *_python(pyflink),
    )


def _python(pyflink: str | None) -> tuple[Contender, ...]:
    floor = Contender("librdkafka loop (the floor)", _module(sys.executable, "librdkafka_job"))
    return (*_engines(pyflink), floor)


def _engines(pyflink: str | None) -> tuple[Contender, ...]:
    by_hand = Contender(SPARK, _module(sys.executable, "spark_job"), keeps_time=False)
    prompt = Contender(PROMPT, _job(AT_LEAST_ONCE, LATENCY))
    return (Contender(KAFKASTREAM, _job()), prompt, by_hand, *_flink(pyflink))


def _running_count(pyflink: str | None) -> tuple[Contender, ...]:
    return (Contender(KAFKASTREAM, _job()), _by_hand(BARE_STATE, "pandas", "key"), _native(), *_flink(pyflink))


def _micro_batches(_: str | None) -> tuple[Contender, ...]:
    ways = [(way, group) for way in ("rows", "apply") for group in ("key", "bucket")]
    others = (_by_hand(f"{_STATE_WAYS[way]} by {group}", way, group) for way, group in [*ways, ("pandas", "bucket")])
    return (Contender(KAFKASTREAM, _job()), _by_hand(BARE_STATE, "pandas", "key"), *others)


def _by_hand(name: str, way: str, group: str) -> Contender:
    return Contender(name, _module(sys.executable, "spark_state_job", way, group))


def _windows(pyflink: str | None) -> tuple[Contender, ...]:
    return (Contender(KAFKASTREAM, _job()), _native(), *_flink(pyflink))


def _sql_filter(pyflink: str | None) -> tuple[Contender, ...]:
    by_hand = Contender(SPARK, _module(sys.executable, "spark_sql_job"), keeps_time=False)
    return (_sql(), by_hand, *_flink_sql(pyflink))


def _sql_windows(pyflink: str | None) -> tuple[Contender, ...]:
    return (_sql(), _native(), *_flink_sql(pyflink))


def _nexmark(pyflink: str | None) -> tuple[Contender, ...]:
    own = Contender(KAFKASTREAM, _module(sys.executable, "nexmark_job", "kafkastream"))
    return (own, Contender(PYFLINK, _module(pyflink, "nexmark_job", "pyflink"))) if pyflink else (own,)


def _sql() -> Contender:
    return Contender(KAFKASTREAM, _module(sys.executable, "sql_job", "kafkastream"), keeps_time=False)


def _flink_sql(pyflink: str | None) -> tuple[Contender, ...]:
    return (Contender(PYFLINK, _module(pyflink, "sql_job", "pyflink"), keeps_time=False),) if pyflink else ()


def _native() -> Contender:
    return Contender(NATIVE, _module(sys.executable, "spark_count_job"), tells_all=False)


def _flink(pyflink: str | None) -> tuple[Contender, ...]:
    return (Contender(PYFLINK, _module(pyflink, "datastream_job", "pyflink", AT_LEAST_ONCE)),) if pyflink else ()


def _module(python: str, name: str, *arguments: str) -> tuple[str, ...]:
    return (python, "-m", f"benchmarks.{name}", *arguments)


def _environment(python: str, folder: Path) -> dict[str, str]:
    """Environment of a contender: its Python's virtual environment is activated, by which PyFlink's JVM finds its packages."""
    search = os.pathsep.join((str(Path(python).parent), os.environ.get("PATH", os.defpath)))
    return {**os.environ, "PATH": search, "PYTHONPATH": str(folder)}


class Cost(NamedTuple):
    """What a run took."""

    cpu_s: float
    wall_s: float


class ContenderFailedError(Exception):
    """A contender's process has ended, or has not come to an end."""


class ContenderProcess:
    """A contender at work: it runs one task after another in the same processes, which stay warm.

    Args:
        contender: Whose process it is.
    """

    def __init__(self, contender: Contender) -> None:
        self._name = contender.name
        self._log = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 - stop closes it
        self._process = subprocess.Popen(
            contender.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            cwd=contender.folder,
            env={**_environment(contender.command[0], contender.folder), **contender.variables},
            start_new_session=True,  # Ctrl-C is for us, and we stop it
        )

    def run(self, task: Task) -> Cost:
        """Run a task to its end.

        Raises:
            ContenderFailedError: It has not come to an end.
        """
        cpu_s, began = process_tree.cpu_seconds(self._process.pid), time.monotonic()
        self._order(task)
        self._await_end()
        return Cost(process_tree.cpu_seconds(self._process.pid) - cpu_s, time.monotonic() - began)

    def stop(self) -> None:
        """End the process and all that it has started."""
        started = process_tree.tree(self._process.pid)
        try:
            self._process.communicate(timeout=_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
        finally:
            process_tree.kill(started[1:])
            self._log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def _order(self, task: Task) -> None:
        orders = self._process.stdin
        assert orders is not None
        with suppress(BrokenPipeError):  # it has ended, which is told when its answer is awaited
            orders.write(task.to_line())
            orders.flush()

    def _await_end(self) -> None:
        answers = self._process.stdout
        assert answers is not None
        is_ready, _, _ = select.select([answers], [], [], _RUN_S)
        if not is_ready or answers.readline() != DONE:
            what = "has ended" if is_ready else f"has not come to an end in {_RUN_S:g} s"
            raise ContenderFailedError(f"{self._name} {what}; the end of its log:\n{self._log_tail()}")

    def _log_tail(self) -> str:
        self._log.seek(0)
        return "".join(self._log.readlines()[-_LOG_LINES:])
