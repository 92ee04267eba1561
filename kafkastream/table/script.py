"""A file of statements, as Flink's SQL client runs it."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from kafkastream.sql.syntax.parser import parse
from kafkastream.sql.syntax.statements import Insert, StatementSet
from kafkastream.table.environment import TableEnvironment
from kafkastream.table.environment_settings import EnvironmentSettings

__all__ = ["run_script"]


def run_script(text: str, before: str = "", settings: Mapping[str, str] | None = None) -> None:
    """Carry out statements one after the other, and wait for the jobs that they have started.

    Args:
        text: The statements.
        before: Statements that come first, whose results are not shown.
        settings: What SET would set.

    Raises:
        KafkastreamError: A statement is wrong, or a job has failed.
    """
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    for key, value in (settings or {}).items():
        t_env.get_config().set(key, value)
    started = [t_env._execute(statement) for statement in parse(before)]
    for statement in parse(text):
        result = t_env._execute(statement)
        if isinstance(statement, (Insert, StatementSet)) or result.get_job_client() is not None:
            _note(f"Job {result.get_job_client().get_job_id()} has started.")  # type: ignore[union-attr]
        else:
            result.print()
        started.append(result)
    for result in started:
        result.wait()


def _note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201
