"""Session of the interactive shell: reads statements, executes them, and shows their results and errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final, final

from rich.console import Console

from kafkastream.cli.shell.live_table import show_live
from kafkastream.cli.shell.statement_text import command_of, tokens_of
from kafkastream.cli.titled_table import cell, titled_table
from kafkastream.errors import DefinitionError, KafkastreamError, UnsupportedFeatureError
from kafkastream.model.job.job_result import JobClient
from kafkastream.options.table_config import MOST_RESULT_ROWS, RESULT_MODE
from kafkastream.spark.session.signals import interruptible
from kafkastream.sql.syntax.parser import parse
from kafkastream.sql.syntax.statements import Query, Statement
from kafkastream.sql.syntax.tokens import TokenKind
from kafkastream.table.environment import TableEnvironment
from kafkastream.table.table_result import TableResult

__all__ = ["ShellSession"]

_HELP: Final = (
    ("HELP", "Shows this list."),
    ("QUIT, EXIT, Ctrl-D", "Leaves the shell; running jobs are stopped after their micro-batch."),
    ("CLEAR", "Clears the terminal."),
    ("Ctrl-C", "Cancels the running query, or clears what is being typed."),
    ("SHOW JOBS;", "Lists the jobs that INSERT statements have started."),
    ("STOP JOB 'id';", "Stops a job after its running micro-batch."),
    ("SHOW TABLES; DESCRIBE t;", "Lists tables and views; shows the columns of one."),
    ("CREATE TABLE …; INSERT INTO …; SELECT …;", "Any statement of Flink SQL, over one or more lines, up to a semicolon."),
    ("SET 'key' = 'value';", "Sets an option; SET alone lists them."),
    ("SET 'sql-client.execution.result-mode' = 'table';", "Shows results as a live table (`table`), or every change (`changelog`, `tableau`)."),
)  # fmt: skip
_STOP_JOB_TOKENS: Final = 3


@final
class ShellSession:
    """Executes what a user types.

    Args:
        t_env: Table environment of the session.
        console: Console for output.
        confirm: Asks a question that is answered by yes or no.
    """

    def __init__(self, t_env: TableEnvironment, console: Console, confirm: Callable[[str], bool]) -> None:
        self._t_env = t_env
        self._console = console
        self._confirm = confirm
        self._jobs: list[tuple[datetime, JobClient]] = []

    def run(self, ask: Callable[[], str]) -> None:
        """Execute texts until QUIT or the end of input.

        Args:
            ask: Reads the next text; raises KeyboardInterrupt for Ctrl-C, and EOFError at the end of input.
        """
        while True:
            try:
                text = ask()
            except KeyboardInterrupt:
                continue
            except EOFError:
                text = "QUIT"
            if command_of(text) in {"QUIT", "EXIT"}:
                if self._confirm_quit():
                    return
            else:
                self.execute(text)

    def execute(self, text: str) -> None:
        """Execute a shell command or SQL statements. An error is printed and skips the rest of the text; the session goes on."""
        try:
            with interruptible():
                self._execute(text)
        except KafkastreamError as error:
            self._console.print(f"error: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
        except KeyboardInterrupt:
            self._console.print("Cancelled.")

    def _execute(self, text: str) -> None:
        match command_of(text):
            case "HELP":
                self._show_help()
            case "CLEAR":
                self._console.clear()
            case _:
                if not self._manages_jobs(text):
                    for statement in parse(text):
                        self._execute_statement(statement)

    def _execute_statement(self, statement: Statement) -> None:
        result = self._t_env._execute(statement)
        job = result.get_job_client()
        if job is not None:
            self._jobs.append((datetime.now().astimezone(), job))
            self._console.print(f"Job {job.get_job_id()} is running. SHOW JOBS; lists jobs, STOP JOB 'id'; stops one.")
            return
        with interruptible():  # Spark installs a handler of its own when it starts
            self._show_result(statement, result)

    def _show_result(self, statement: Statement, result: TableResult) -> None:
        configuration = self._t_env.get_config().get_configuration()
        if isinstance(statement, Query) and configuration.get(RESULT_MODE) == "TABLE":
            show_live(result, self._console, configuration.get(MOST_RESULT_ROWS))
        else:
            result.print()

    def _show_help(self) -> None:
        table = titled_table("Statements and keys", "", "")
        for statement, effect in _HELP:
            table.add_row(statement, effect)
        self._console.print(table)

    def _manages_jobs(self, text: str) -> bool:
        """Execute SHOW JOBS or STOP JOB; return whether the text is one of them."""
        tokens = [token for token in tokens_of(text) or () if token.value != ";"]
        words = [token.value for token in tokens]
        if words == ["SHOW", "JOBS"]:
            self._show_jobs()
            return True
        if words[:2] != ["STOP", "JOB"]:
            return False
        if len(tokens) < _STOP_JOB_TOKENS or tokens[2].kind is not TokenKind.STRING:
            raise DefinitionError("STOP JOB needs the job's id", now="Write STOP JOB 'id'; SHOW JOBS lists them.")
        if len(tokens) > _STOP_JOB_TOKENS:
            raise UnsupportedFeatureError(
                f"STOP JOB ... {' '.join(words[3:])}: Spark has no savepoints",
                now="Write STOP JOB 'id'; a later start with the same checkpoint directory continues.",
            )
        self._stop_jobs([self._find_job(tokens[2].value)])
        return True

    def _show_jobs(self) -> None:
        table = titled_table("Jobs", "job id", "job name", "status", "started")
        for started, job in self._jobs:
            status = job.get_job_status().result().name
            table.add_row(str(job.get_job_id()), cell(job._job.name), status, f"{started:%Y-%m-%d %H:%M:%S}")
        self._console.print(table)

    def _find_job(self, job_id: str) -> JobClient:
        for _, job in self._jobs:
            if str(job.get_job_id()) == job_id:
                return job
        raise DefinitionError(f"there is no job {job_id!r}", where="STOP JOB", now="SHOW JOBS lists the jobs.")

    def _running_jobs(self) -> Sequence[JobClient]:
        return [job for _, job in self._jobs if not job.get_job_status().result().is_terminal_state()]

    def _stop_jobs(self, jobs: Sequence[JobClient]) -> None:
        cancellations = [job.cancel() for job in jobs]
        with self._console.status("Stopping after the running micro-batch"):
            for cancellation in cancellations:
                cancellation.result()

    def _confirm_quit(self) -> bool:
        """Stop running jobs if the user confirms it; return whether to leave the shell."""
        running = self._running_jobs()
        if running:
            count = f"{len(running)} job{'' if len(running) == 1 else 's'}"
            if not self._confirm(f"{count} will be stopped after the running micro-batch. Quit?"):
                return False
            self._stop_jobs(running)
        return True
