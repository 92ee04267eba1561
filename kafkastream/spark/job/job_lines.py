"""Lines of a job on standard error: its start, its progress, and its end."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Final, Protocol, final

from rich.console import Console
from rich.live import Live
from rich.text import Text

from kafkastream.metrics.standing import Pace, Standing
from kafkastream.model.graph.job_graph import JobGraph, PrintSink
from kafkastream.model.job.page_settings import PageSettings, page_settings_of
from kafkastream.options.rest import DEFAULT_PORTS, REST_BIND_PORT
from kafkastream.printable import printable

__all__ = ["JobLines", "kept_in_place", "page_of_command", "run_by_command"]

log = logging.getLogger("kafkastream")

_LONG_WORK_S: Final = 3.0
_IN_PLACE_S: Final = 1.0
_IN_LOG_S: Final = 60.0


@final
class _Command:
    """Settings of the ``kafkastream`` command that runs the program, if one does."""

    tells: bool | None = None
    shows_page: bool = False


_COMMAND: Final = _Command()


@contextmanager
def run_by_command(*, quiet: bool, ui: bool = False) -> Iterator[None]:
    """Run a program within a ``kafkastream`` command: its jobs show progress, unless the command is quiet.

    Args:
        quiet: Whether the command is quiet.
        ui: Whether jobs without a port of their own have a job page.
    """
    before = _COMMAND.tells, _COMMAND.shows_page
    _COMMAND.tells, _COMMAND.shows_page = not quiet, ui
    try:
        yield
    finally:
        _COMMAND.tells, _COMMAND.shows_page = before


def page_of_command(configured: Mapping[str, str]) -> PageSettings | None:
    """Return the settings of the job page that the ``kafkastream`` command wants for a job; None if it wants none.

    Args:
        configured: Settings of the job, under Flink's keys.
    """
    return page_settings_of({REST_BIND_PORT.key: DEFAULT_PORTS, **configured}) if _COMMAND.shows_page else None


def tells(progress: str) -> bool:
    """Return whether a job with this value of ``kafkastream.progress`` shows progress; a quiet command overrides it."""
    if _COMMAND.tells is False or progress == "off":
        return False
    return progress == "on" or _COMMAND.tells is True or is_terminal(sys.stderr)


def is_terminal(stream: object) -> bool:
    """Return whether a stream is a terminal."""
    with suppress(AttributeError, ValueError):  # none, or closed
        return bool(stream.isatty())  # type: ignore[attr-defined]
    return False


@final
class JobLines:
    """The lines of one job.

    On a terminal, progress is shown in place while the program waits for the job. Elsewhere, a line a minute is logged,
    with the time.

    Args:
        name: The job's name.
        is_on: Whether to print anything.
        shares_terminal: Whether the job itself prints to the terminal, so that progress is not shown in place.
        is_silent: Whether the user wants no lines, so that the address of a job page is only logged.
    """

    def __init__(
        self, name: str, *, is_on: bool = False, shares_terminal: bool = False, is_silent: bool = False
    ) -> None:
        self._name = name
        self.is_silent = is_silent
        self._is_on = is_on
        self._on_terminal = is_terminal(sys.stderr)
        self.is_in_place = is_on and self._on_terminal and not shares_terminal
        self._pace = Pace(name)
        self._next_at = _IN_LOG_S
        self._was_long = False

    @staticmethod
    def of(name: str, graph: JobGraph, progress: str) -> JobLines:
        """Create the lines of a job with this value of ``kafkastream.progress``."""
        prints = [node.sink for node in graph.sinks if isinstance(node.sink, PrintSink)]
        shares = any(is_terminal(sys.stderr if sink.to_err else sys.stdout) for sink in prints)
        is_silent = _COMMAND.tells is False or progress == "off"
        return JobLines(name, is_on=tells(progress), shares_terminal=shares, is_silent=is_silent)

    def started(self, flow: str, spark_page: str | None, job_page: str | None = None) -> None:
        """Print that the job starts, with its sources and sinks and the addresses of its page and Spark's."""
        pages = {"Job page": job_page, "Spark UI": spark_page}
        at = "".join(f". {name}: {page}" for name, page in pages.items() if page is not None)
        self._say(f"job {self._name!r} starts: {flow}{at}")
        if job_page is not None and not self._is_on:
            self._tell_page(job_page)

    def _tell_page(self, page: str) -> None:
        """Print the address of a page that somebody has asked for where nothing else is printed."""
        if self.is_silent:
            log.info("job page of %r: %s", self._name, page)
        else:
            self._print(f"job {self._name!r} has a page: {page}")

    def outlives_program(self) -> None:
        """Print that the program has ended and its process waits for the job."""
        self._say(
            f"job {self._name!r} continues, though its program has ended; Ctrl-C stops it after the running micro-batch"
        )

    def look(self, standing: Callable[[], Standing | None]) -> None:
        """Print the progress, if a line is due."""
        if self._is_on and not self._on_terminal and self._pace.elapsed_s >= self._next_at:
            self._next_at += _IN_LOG_S
            self._was_long = True
            self._pace.note(standing())
            self._say(self._pace.text())

    def in_place(self, standing: Callable[[], Standing | None]) -> str | None:
        """Return the progress for a line in place; None while it is too early to show it."""
        if not self.is_in_place or self._pace.elapsed_s < _LONG_WORK_S:
            return None
        self._was_long = True
        self._pace.note(standing())
        return self._pace.text()

    def ended(self, how: str, standing: Callable[[], Standing | None]) -> None:
        """Print how the job has ended, if it ran for long."""
        if self._was_long:
            self._pace.note(standing())
            self._say(self._pace.end_text(how))

    def _say(self, text: str) -> None:
        if self._is_on:
            self._print(text)

    def _print(self, text: str) -> None:
        at = "" if self._on_terminal else f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S%z} "
        with suppress(AttributeError, OSError, ValueError):  # standard error is closed or missing
            print(f"{at}{printable(text)}", file=sys.stderr, flush=True)  # noqa: T201


class JobInLines(Protocol):
    """A job whose progress is shown."""

    @property
    def lines(self) -> JobLines:
        """Lines of the job."""

    def standing(self) -> Standing | None:
        """Progress of the job so far."""


@contextmanager
def kept_in_place(jobs: Sequence[JobInLines]) -> Iterator[Callable[[], None]]:
    """Show the progress of jobs in place on a terminal; yields a function that refreshes the lines if they are due."""
    shown = [one for one in jobs if one.lines.is_in_place]
    if not shown or threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    # Output of others goes above the lines in place.
    live = Live(
        console=Console(stderr=True),
        auto_refresh=False,
        transient=True,
        redirect_stdout=is_terminal(sys.stdout),
        redirect_stderr=True,
    )
    due_at = 0.0

    def show() -> None:
        nonlocal due_at
        if time.monotonic() < due_at:
            return
        due_at = time.monotonic() + _IN_PLACE_S
        texts = [text for text in (one.lines.in_place(one.standing) for one in shown) if text is not None]
        if texts:
            live.start()
            live.update(Text("\n".join(texts), no_wrap=True, overflow="ellipsis"), refresh=True)

    try:
        yield show
    finally:
        live.stop()
