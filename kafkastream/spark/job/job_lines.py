"""Lines of a job on standard error: that it has started, how far it has come, and how it has ended."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Final, Protocol, final

from rich.console import Console
from rich.live import Live
from rich.text import Text

from kafkastream.metrics.standing import Pace, Standing
from kafkastream.model.graph.job_graph import JobGraph, PrintSink

__all__ = ["JobLines", "kept_in_place", "run_by_command"]

_LONG_WORK_S: Final = 3.0
_IN_PLACE_S: Final = 1.0
_IN_LOG_S: Final = 60.0


@final
class _Command:
    """The command of ours that runs the program, if one does: whether its jobs are to tell anything."""

    tells: bool | None = None


_COMMAND: Final = _Command()


@contextmanager
def run_by_command(*, quiet: bool) -> Iterator[None]:
    """Run a program by a command of ours: its jobs tell how they do, unless they are to be quiet."""
    before, _COMMAND.tells = _COMMAND.tells, not quiet
    try:
        yield
    finally:
        _COMMAND.tells = before


def tells(progress: str) -> bool:
    """Whether a job with this setting of ``kafkastream.progress`` tells anything; a quiet command goes before it."""
    if _COMMAND.tells is False or progress == "off":
        return False
    return progress == "on" or _COMMAND.tells is True or is_terminal(sys.stderr)


def is_terminal(stream: object) -> bool:
    """Whether somebody looks at what is written there."""
    with suppress(AttributeError, ValueError):  # none, or closed
        return bool(stream.isatty())  # type: ignore[attr-defined]
    return False


@final
class JobLines:
    """The lines of one job.

    On a terminal, how far it has come is shown in place while the program waits for it; elsewhere a line a minute says so,
    with the time, since nobody knows when a log will be read.

    Args:
        name: The job's name.
        is_on: Whether anything is to be told.
        shares_terminal: Whether the job itself writes to the terminal, so that nothing is shown in place there.
    """

    def __init__(self, name: str, *, is_on: bool = False, shares_terminal: bool = False) -> None:
        self._name = name
        self._is_on = is_on
        self._on_terminal = is_terminal(sys.stderr)
        self.is_in_place = is_on and self._on_terminal and not shares_terminal
        self._pace = Pace(name)
        self._next_at = _IN_LOG_S
        self._was_long = False

    @staticmethod
    def of(name: str, graph: JobGraph, progress: str) -> JobLines:
        """Create the lines of a job with this setting of ``kafkastream.progress``."""
        prints = [node.sink for node in graph.sinks if isinstance(node.sink, PrintSink)]
        shares = any(is_terminal(sys.stderr if sink.to_err else sys.stdout) for sink in prints)
        return JobLines(name, is_on=tells(progress), shares_terminal=shares)

    def started(self, flow: str, page: str | None) -> None:
        """Tell that it starts, with what it reads and writes, and the address of Spark's web interface."""
        at = "" if page is None else f". Spark UI: {page}"
        self._say(f"job {self._name!r} starts: {flow}{at}")

    def outlives_program(self) -> None:
        """Tell that the program has ended, and why its process has not."""
        self._say(
            f"job {self._name!r} goes on, though its program has ended; Ctrl-C stops it after the running micro-batch"
        )

    def look(self, standing: Callable[[], Standing | None]) -> None:
        """Tell how far it has come, if that is due."""
        if self._is_on and not self._on_terminal and self._pace.elapsed_s >= self._next_at:
            self._next_at += _IN_LOG_S
            self._was_long = True
            self._pace.note(standing())
            self._say(self._pace.text())

    def in_place(self, standing: Callable[[], Standing | None]) -> str | None:
        """Progress for a line in place; None as long as that is not worth showing."""
        if not self.is_in_place or self._pace.elapsed_s < _LONG_WORK_S:
            return None
        self._was_long = True
        self._pace.note(standing())
        return self._pace.text()

    def ended(self, how: str, standing: Callable[[], Standing | None]) -> None:
        """Tell how it has ended, if it was long work."""
        if self._was_long:
            self._pace.note(standing())
            self._say(self._pace.end_text(how))

    def _say(self, text: str) -> None:
        if not self._is_on:
            return
        at = "" if self._on_terminal else f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S%z} "
        with suppress(AttributeError, OSError, ValueError):  # the program has closed standard error, or has none
            print(f"{at}{text}", file=sys.stderr, flush=True)  # noqa: T201


class Shown(Protocol):
    """A job whose progress is shown."""

    @property
    def lines(self) -> JobLines:
        """Lines that the job writes."""

    def standing(self) -> Standing | None:
        """Progress of the job so far."""


@contextmanager
def kept_in_place(jobs: Sequence[Shown]) -> Iterator[Callable[[], None]]:
    """Show how far jobs have come, on lines of a terminal that are written anew; what it yields does so when it is due."""
    shown = [one for one in jobs if one.lines.is_in_place]
    if not shown or threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    # What others write while this is shown goes above it.
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
