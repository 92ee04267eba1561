"""Execution of a script of SQL statements, as by Flink's SQL client with ``-f``."""

from __future__ import annotations

from collections.abc import Mapping

from kafkastream.sql.syntax.parser import parse
from kafkastream.table.environment import TableEnvironment
from kafkastream.table.environment_settings import EnvironmentSettings

__all__ = ["run_script", "script_environment"]


def run_script(text: str, before: str = "", settings: Mapping[str, str] | None = None) -> None:
    """Execute statements one after another; jobs of INSERT statements may still run when this returns.

    Args:
        text: Statements, separated by semicolons.
        before: Statements executed first, whose results are not printed.
        settings: Options, as SET would set them.

    Raises:
        KafkastreamError: A statement is invalid, or the job of a query has failed.
    """
    t_env = script_environment(before, settings)
    for statement in parse(text):
        result = t_env._execute(statement)
        if result.get_job_client() is None:
            result.print()


def script_environment(before: str = "", settings: Mapping[str, str] | None = None) -> TableEnvironment:
    """Create the environment of a script, with options that are set and statements that are executed.

    Args:
        before: Statements to execute, whose results are not printed.
        settings: Options, as SET would set them.

    Raises:
        KafkastreamError: A statement is invalid.
    """
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    for key, value in (settings or {}).items():
        t_env.get_config().set(key, value)
    for statement in parse(before):
        t_env._execute(statement)
    return t_env
