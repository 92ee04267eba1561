"""``kafkastream run``: a job script with all that Spark needs in place."""

from __future__ import annotations

import runpy
import sys
import traceback
from pathlib import Path

import click

from kafkastream.errors import KafkastreamError

__all__ = ["run_command"]


@click.command(
    "run",
    context_settings={
        "ignore_unknown_options": True,
        "allow_interspersed_args": False,
        "help_option_names": ["--help"],
    },
    epilog="\b\nExample:\n  kafkastream run job.py --bootstrap-servers localhost:9092",
)
@click.argument("script", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run_command(script: Path, arguments: tuple[str, ...]) -> None:
    """Run the job SCRIPT with its ARGUMENTS, on this machine unless Spark's settings name a cluster.

    Spark gets its Kafka connector, this Python for its workers, and a log that shows errors only
    (KAFKASTREAM_SPARK_LOG=INFO shows more). For a cluster, see also `kafkastream pack`.
    """
    from kafkastream.spark.jars import connector_jars

    connector_jars()
    sys.argv = [str(script), *arguments]
    sys.path.insert(0, str(script.resolve().parent))
    try:
        runpy.run_path(str(script), run_name="__main__")
    except KafkastreamError as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(script)]
        if lines:
            click.echo(f"{script}, line {lines[-1]}:", err=True)
        raise
