"""``kafkastream pack``: packs the Python environment into an archive that Spark ships to executors."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.console import Console

__all__ = ["pack_command"]

_EPILOG = """\b
Example:
  kafkastream pack -o env.tar.gz
"""


def _check_archive_name(_context: click.Context, _option: click.Parameter, path: Path) -> Path:
    from kafkastream.spark.session.packed_environment import SUFFIXES

    if not path.name.endswith(SUFFIXES):
        raise click.BadParameter(
            f"{path.name!r} is not an archive that Spark unpacks completely; expected one of {', '.join(SUFFIXES)}"
        )
    return path


@click.command("pack", epilog=_EPILOG)
@click.option(
    "-o",
    "--output",
    "archive",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("env.tar.gz"),
    show_default=True,
    callback=_check_archive_name,
    help="Path of the archive.",
)
@click.option("--without", metavar="PACKAGE", multiple=True, help="Leave this package out; may be repeated.")
def pack_command(archive: Path, without: tuple[str, ...]) -> None:
    """Pack this Python environment for a Spark cluster.

    The archive holds the interpreter, its standard library and all installed packages except pyspark, so executors need
    no Python, only the same kind of Linux as this machine. Install the packages that your functions import first.
    Prints the command that starts a job with the archive.
    """
    from kafkastream.spark.session.packed_environment import pack

    with Console(stderr=True).status(f"Packing this environment as {archive} …"):
        pack(archive, without=without)
    click.echo(_submit_command(archive))


def _submit_command(archive: Path) -> str:
    return (
        f"PYSPARK_DRIVER_PYTHON={sys.executable} PYSPARK_PYTHON=./env/bin/python \\\n"
        f'  spark-submit --master spark://… --archives {archive}#env --jars "$(kafkastream jars)" job.py'
    )
