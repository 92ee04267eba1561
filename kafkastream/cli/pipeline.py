"""``kafkastream pipeline``: runs a YAML pipeline on this machine."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from kafkastream.alias import alias_pyflink_unless_installed
from kafkastream.cli.quiet import quiet_option
from kafkastream.cli.titled_table import titled_table

if TYPE_CHECKING:
    from kafkastream.cdc.document.reading import PipelineDocument
    from kafkastream.cdc.spec.section import SectionOptions

__all__ = ["pipeline_command"]

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_EPILOG = """\b
Example:
  kafkastream pipeline -f job.yaml --set kafka.topic=orders
  kafkastream pipeline -f job.yaml --variables production.yaml --check
  kafkastream pipeline --schema > pipeline.schema.json
"""


@click.command("pipeline", epilog=_EPILOG)
@click.option("-f", "--file", "path", type=_FILE, help="YAML document.")
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="Value of ${NAME}; may be repeated.")
@click.option("--variables", "files", multiple=True, type=_FILE, help="YAML file with variables; may be repeated.")
@click.option("--check", is_flag=True, help="Show what a start would find and create, without changing anything.")
@click.option("--schema", is_flag=True, help="Print the JSON schema of pipeline documents, for editors.")
@quiet_option
def pipeline_command(
    path: Path | None, assignments: tuple[str, ...], files: tuple[Path, ...], *, check: bool, schema: bool, quiet: bool
) -> None:
    """Run a YAML pipeline on this machine.

    Variables of the document, ${NAME} and ${secret_values.NAME}, are looked up in --set, then in the variables files,
    the last one first, then in the environment. The command ends when a bounded source is read, or with Ctrl-C after
    the running micro-batch.
    """
    if schema:
        from kafkastream.cdc.document.schema import json_schema

        click.echo(json.dumps(json_schema(), indent=2))
        return
    if path is None:
        raise click.UsageError("Missing option '-f' / '--file'.")
    document = _read_document(path, _read_variables(assignments, files))
    alias_pyflink_unless_installed()  # for modules of functions
    if check:
        _show_check(document)
    else:
        _run_pipeline(document, quiet=quiet)


def _read_variables(assignments: tuple[str, ...], files: tuple[Path, ...]) -> Mapping[str, str]:
    from kafkastream.cdc.document.variables import variables_of_file

    variables: dict[str, str] = {}
    for file in files:
        variables.update(variables_of_file(file))
    return {**variables, **dict(map(_parse_pair, assignments))}


def _parse_pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise click.BadParameter("expected NAME=VALUE", param_hint="--set")
    return name, value


def _read_document(path: Path, variables: Mapping[str, str]) -> PipelineDocument:
    from kafkastream.cdc.document.reading import read_file
    from kafkastream.cdc.document.variables import Variables

    return read_file(path, Variables(variables))


def _run_pipeline(document: PipelineDocument, *, quiet: bool) -> None:
    from kafkastream.pipeline import Pipeline
    from kafkastream.spark.job.job_lines import run_by_command
    from kafkastream.spark.job.program_end import STARTED
    from kafkastream.spark.session.jars import connector_jars

    connector_jars()
    with run_by_command(quiet=quiet), STARTED.awaited():
        Pipeline(document.spec).run()


def _show_check(document: PipelineDocument) -> None:
    from kafkastream.cli.pipeline_plan import show_plan

    console = Console(highlight=False)
    for options in document.sections:
        console.print(_section_table(options))
    show_plan(document.spec, console)


def _section_table(options: SectionOptions) -> Table:
    section = options.definition
    table = titled_table(section.subject, "option", "value")
    for key in options.values:
        table.add_row(Text(key), Text(options.masked(key)))
    for key, entry in section.nodes.items():
        table.add_row(Text(key), Text(f"({entry.position})"))
    return table
