"""Command line: ``kafkastream run``, ``sql``, ``pipeline`` and their helpers, one module for each command.

``shell`` is the interactive shell of ``kafkastream sql``; ``pipeline_plan`` and ``titled_table`` format the output of
commands, and ``quiet`` is an option that several commands share. Commands import the engine when they run, so that ``--help`` is quick.
"""

from __future__ import annotations

from typing import Any

import click

from kafkastream.cli.broker import broker_command
from kafkastream.cli.checkpoint import checkpoint_command
from kafkastream.cli.demo import demo_command
from kafkastream.cli.doctor import doctor_command
from kafkastream.cli.jars import jars_command
from kafkastream.cli.pack import pack_command
from kafkastream.cli.pipeline import pipeline_command
from kafkastream.cli.port import port_command
from kafkastream.cli.run import run_command
from kafkastream.cli.sql import sql_command
from kafkastream.errors import KafkastreamError

__all__ = ["main"]


class _Commands(click.Group):
    """Command group that prints errors of this package as messages, without a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KafkastreamError as error:
            click.echo(f"error: {error}", err=True)
            ctx.exit(1)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="kafkastream", prog_name="kafkastream")
def main() -> None:
    """Run Apache Flink's Kafka jobs on Apache Spark."""


for command in (
    demo_command,
    run_command,
    sql_command,
    pipeline_command,
    port_command,
    broker_command,
    jars_command,
    pack_command,
    checkpoint_command,
    doctor_command,
):
    main.add_command(command)
