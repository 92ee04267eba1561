"""``kafkastream port``: translates Java programs of Flink's DataStream API to Python."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from kafkastream.port.program import PortedProgram

__all__ = ["port_command"]

_EPILOG = """\b
Example:
  kafkastream port src/main/java/shop/OrderCounts.java -o order_counts.py
  kafkastream port OrderCounts.java Order.java > order_counts.py
"""


@click.command("port", epilog=_EPILOG)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="File to write; standard output without it."
)
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
def port_command(files: tuple[Path, ...], output: Path | None, force: bool) -> None:
    """Translate Java programs of Flink's DataStream API to Python.

    The first of FILES has the main method. Classes of the same project that it uses are found by their packages.

    What has no translation stays in the program as a comment with the Java lines, which begins with TODO(port).
    A summary goes to standard error.
    """
    from kafkastream.port.program import port_program

    if output is not None and output.exists() and not force:
        raise click.UsageError(f"{output} exists; --force replaces it")
    ported = port_program(files)
    if output is None:
        click.echo(ported.text, nl=False)
    else:
        output.write_text(ported.text, encoding="utf-8")
    for line in _summary(ported, output):
        click.echo(line, err=True)


def _summary(ported: PortedProgram, output: Path | None) -> Iterator[str]:
    count = ported.lines
    files = f"{len(ported.files)} file{'s' if len(ported.files) > 1 else ''}"
    yield f"{count.code - count.marked} of {count.code} lines translated ({count.share:.0%}), from {files}"
    for mark in ported.marks:
        yield f"  {Path(mark.path).name}:{mark.line}: {mark.reason}"
    target = str(output) if output is not None else "the program"
    marked_places = f"{len(ported.marks)} place{'s' if len(ported.marks) > 1 else ''}"
    if ported.marks:
        yield f"Next: translate the {marked_places} marked TODO(port) in {target}, then compare its results with Flink's."
    else:
        yield f"Next: kafkastream run {target}, and compare its results with Flink's."
