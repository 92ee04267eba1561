"""``kafkastream sql``: executes Flink SQL statements on this machine."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import click

from kafkastream.alias import alias_pyflink_unless_installed
from kafkastream.cli.quiet import quiet_option
from kafkastream.extras import SHELL

__all__ = ["sql_command"]


@click.command("sql", epilog='\b\nExample:\n  kafkastream sql -f job.sql\n  kafkastream sql -e "SELECT 1"')
@click.option(
    "-f", "--file", "path", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="File with statements."
)
@click.option("-e", "--execute", "text", help="Statements, separated by semicolons.")
@click.option(
    "-i",
    "--init",
    "init_path",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File with statements to execute first.",
)
@click.option("-D", "settings", multiple=True, metavar="KEY=VALUE", help="Option to set, as with SET; may be repeated.")
@quiet_option
def sql_command(
    path: Path | None, text: str | None, init_path: Path | None, settings: tuple[str, ...], *, quiet: bool
) -> None:
    """Execute Flink SQL statements on this machine, from a file, from an option, or typed into a shell.

    Statements are executed one after another. Rows of queries are printed as they arrive. INSERT starts a job; the
    command ends when all jobs have ended, or with Ctrl-C after the running micro-batch. Without -f and -e,
    a terminal gets an interactive shell (pip install 'kafkastream[shell]'), in which HELP lists what can be typed; otherwise statements are read from
    standard input.
    """
    from kafkastream.spark.job.job_lines import run_by_command
    from kafkastream.spark.job.program_end import STARTED
    from kafkastream.spark.session.jars import connector_jars
    from kafkastream.table.session.script import run_script

    connector_jars()
    alias_pyflink_unless_installed()  # for modules of functions
    init, configuration = "" if init_path is None else init_path.read_text(), dict(map(_parse_pair, settings))
    if path is None and text is None and sys.stdin.isatty() and sys.stdout.isatty():
        with run_by_command(quiet=quiet):
            _run_shell(init, configuration)
        return
    script = path.read_text() if path is not None else text if text is not None else sys.stdin.read()
    with run_by_command(quiet=quiet), STARTED.awaited():
        run_script(script, before=init, settings=configuration)


def _run_shell(init: str, settings: Mapping[str, str]) -> None:
    """Run the interactive shell.

    Raises:
        SetupError: The extra of the shell is not installed.
    """
    SHELL.imported()
    from rich.console import Console

    from kafkastream.cli.shell.prompt import confirmed, sql_prompt
    from kafkastream.cli.shell.shell_session import ShellSession
    from kafkastream.table.session.script import script_environment

    t_env, console = script_environment(init, settings), Console()
    console.print("Flink SQL on Spark. HELP lists commands, QUIT leaves. Statements end with a semicolon.")
    ShellSession(t_env, console, confirmed).run(sql_prompt(t_env))


def _parse_pair(setting: str) -> tuple[str, str]:
    key, equals, value = setting.partition("=")
    if not equals:
        raise click.BadParameter(f"{setting!r} is not KEY=VALUE", param_hint="-D")
    return key, value
