"""A file of statements, as Flink's SQL client runs it."""

from __future__ import annotations

from collections.abc import Mapping

from kafkastream.sql.syntax.parser import parse
from kafkastream.table.environment import TableEnvironment
from kafkastream.table.environment_settings import EnvironmentSettings

__all__ = ["run_script"]


def run_script(text: str, before: str = "", settings: Mapping[str, str] | None = None) -> None:
    """Carry out statements one after the other; jobs of INSERTs that it has started may still run at its end.

    Args:
        text: The statements.
        before: Statements that come first, whose results are not shown.
        settings: What SET would set.

    Raises:
        KafkastreamError: A statement is wrong, or the job of a query has failed.
    """
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    for key, value in (settings or {}).items():
        t_env.get_config().set(key, value)
    for statement in parse(before):
        t_env._execute(statement)
    for statement in parse(text):
        result = t_env._execute(statement)
        if result.get_job_client() is None:
            result.print()
