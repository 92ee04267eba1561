"""``kafkastream run``: runs a job script with Spark's connector and Python settings in place."""

from __future__ import annotations

import runpy
import sys
import traceback
from pathlib import Path

import click

from kafkastream.alias import alias_pyflink, alias_pyflink_unless_installed
from kafkastream.cli.quiet import quiet_option
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
@click.option(
    "--as-pyflink/--no-as-pyflink",
    default=None,
    help="Make `import pyflink` import kafkastream; by default, if PyFlink is not installed.",
)
@quiet_option
@click.option("--ui", is_flag=True, help="Serve the job page, at port 8081 or the next free one.")
@click.argument("script", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run_command(*, as_pyflink: bool | None, quiet: bool, ui: bool, script: Path, arguments: tuple[str, ...]) -> None:
    """Run the job SCRIPT with its ARGUMENTS.

    The job runs on this machine, unless Spark's settings name a cluster.

    Waits at the end for jobs that the script has started with execute_async or INSERT.
    Spark gets its Kafka connector, this Python for its workers, and a log of errors only
    (KAFKASTREAM_SPARK_LOG=INFO shows more). Unmodified PyFlink programs run as well.
    For a cluster, see also `kafkastream pack`.
    """
    from kafkastream.spark.job.job_lines import run_by_command
    from kafkastream.spark.job.program_end import STARTED
    from kafkastream.spark.session.jars import connector_jars

    connector_jars()
    if as_pyflink:
        alias_pyflink()
    elif as_pyflink is None:
        alias_pyflink_unless_installed()
    sys.argv = [str(script), *arguments]
    sys.path.insert(0, str(script.resolve().parent))
    try:
        with run_by_command(quiet=quiet, ui=ui), STARTED.awaited():
            runpy.run_path(str(script), run_name="__main__")
    except KafkastreamError as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(script)]
        if lines:
            click.echo(f"{script}, line {lines[-1]}:", err=True)
        raise
    except Exception as error:  # noqa: BLE001 - whatever the program raises
        _drop_own_frames(error, script)
        traceback.print_exception(error)
        sys.exit(1)


def _drop_own_frames(error: BaseException, script: Path) -> None:
    """Remove the command's own frames from the traceback of an error in the script."""
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename != str(script):
        frames = frames.tb_next
    error.__traceback__ = frames
