"""Notes on the current work of each Python worker, which survive its crash and name the operator, the records and the cause.

A worker that ends by ``os._exit`` or a signal cannot report anything. So it notes in a small memory-mapped file which
operator is processing which records: once per operator and Arrow batch, at no cost per record. When Spark repeats a
task whose worker has died, the note is updated for each element, so the last attempt names the one that crashes it. The
process that workers are forked from (``kafkastream.spark.daemon``) adds their exit status. Driver and workers share the
files only on one machine; on a cluster there are no notes.
"""

from __future__ import annotations

import atexit
import mmap
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar, final

import attrs

from kafkastream.model.common.value_printing import shown

__all__ = [
    "NOTE",
    "Crash",
    "CrashNote",
    "WatchedList",
    "exit_described",
    "last_crash",
    "make_folder",
    "record_range",
    "settle",
]

T = TypeVar("T")

_FOLDER: Final = "KAFKASTREAM_CRASH_NOTES"
_SIZE: Final = 4096
_END: Final = b"\0"
_SETTLED_S: Final = 0.3


def make_folder() -> None:
    """Create a temporary folder of notes, for the workers of this program's JVM."""
    folder = tempfile.mkdtemp(prefix="kafkastream-workers-")
    os.environ[_FOLDER] = folder
    atexit.register(shutil.rmtree, folder, ignore_errors=True)


@final
class CrashNote:
    """The note of this worker; without a folder of notes it writes nothing.

    Attributes:
        is_repeated: Whether Spark repeats the task, so that each element is noted.
    """

    def __init__(self) -> None:
        self._pid = 0
        self._file: mmap.mmap | None = None
        self._task = ""
        self.is_repeated = False
        self._operator = ""
        self._where = ""
        self._element = ""
        self._describe: Callable[[int], str] | None = None

    @contextmanager
    def task(self, run: str, attempt: int) -> Iterator[None]:
        """Note that a task begins, in this run of a job; ``attempt`` is the number of its earlier attempts."""
        self._open()
        self._task, self.is_repeated = f"{attempt}\n{run}", attempt > 0
        self.records("")
        try:
            yield
        finally:
            self._task = ""
            self._write("")

    def records(self, where: str) -> None:
        """Note the range of records that is processed."""
        self._where = where
        self.leave()

    def enter(self, operator: str, describe: Callable[[int], str] | None = None) -> None:
        """Note that an operator processes elements.

        Args:
            operator: Its name, with its kind.
            describe: Returns the source record of an element, by the element's index in the operator's input.
        """
        self._operator, self._describe = operator, describe
        self._note(self._where)

    def leave(self) -> None:
        """Note that the operator has finished."""
        self.enter("")

    def watched(self, elements: Iterable[T]) -> Iterable[T]:
        """Return the elements; in a repeated task each is noted when it is taken."""
        return self._watching(elements) if self.is_repeated and self._file is not None else elements

    def _watching(self, elements: Iterable[T]) -> Iterator[T]:
        for index, element in enumerate(elements):
            self._note_element(f"{self._describe(index)}; " if self._describe else "", element)
            yield element

    def _note_element(self, position: str, element: object) -> None:
        with suppress(Exception):  # a user-defined __repr__ failed; the records are noted anyway
            self._element = f"{position}element {shown(element)}"
            self._note(self._element)

    def noted(self, operator: str, process: Callable[[T], None]) -> Callable[[T], None]:
        """Return a callable that notes each element of an operator that runs within another one's call."""

        def process_noted(element: T) -> None:
            outer, outer_where = self._operator, self._element
            self._operator = operator
            self._note_element("", element)
            process(element)
            self._operator, self._element = outer, outer_where
            self._note(outer_where)

        return process_noted

    def _note(self, where: str) -> None:
        if self._task:
            self._write(f"{self._task}\n{self._operator}\n{where}")

    def _write(self, text: str) -> None:
        if self._file is not None:
            content = text.encode(errors="replace")[: _SIZE - 1] + _END
            self._file[: len(content)] = content

    def _open(self) -> None:
        """Map the file of this process: a forked worker has its own."""
        folder = os.environ.get(_FOLDER)
        if folder is None or self._pid == os.getpid():
            return
        self._pid, self._file = os.getpid(), None
        with suppress(OSError), Path(folder, str(self._pid)).open("w+b") as file:
            file.truncate(_SIZE)
            self._file = mmap.mmap(file.fileno(), _SIZE)


NOTE: Final = CrashNote()


@final
@attrs.frozen(order=True)
class Crash:
    """A worker's crash during a task.

    Args:
        attempt: Number of earlier attempts of the task.
        at: Time of its end, in seconds since 1970.
        status: Exit status, or the negative number of a signal; None if unknown.
        operator: Name of the running operator; empty if none ran.
        where: Records that it was processing.
    """

    attempt: int
    at: float
    status: int | None
    operator: str
    where: str


def settle(pid: int, status: int) -> None:
    """Add the exit status of a worker to its note, or delete the note if no task was running."""
    note = Path(os.environ.get(_FOLDER, os.devnull), str(pid))
    with suppress(OSError):
        if note.read_bytes().startswith(_END):
            note.unlink()
        else:
            note.rename(note.with_name(f"{pid}.{status}"))


def last_crash(run: str) -> Crash | None:
    """Return the last crash of a worker in this run; of several attempts at a task, the last one, which has the most details."""
    folder = os.environ.get(_FOLDER)
    if folder is None:
        return None
    time.sleep(_SETTLED_S)  # Spark learns of the end at the same moment as the process that notes it
    crashes = [crash for path in Path(folder).glob("*.*") for crash in _crash(path, run)]
    return max(crashes, default=None)


def _crash(path: Path, run: str) -> Iterator[Crash]:
    text = path.read_bytes().partition(_END)[0].decode(errors="replace")
    attempt, of_run, operator, where = (text.split("\n", 3) + [""] * 4)[:4]
    if of_run == run:
        yield Crash(int(attempt), path.stat().st_mtime, int(path.suffix.removeprefix(".")), operator, where)


def exit_described(status: int) -> str:
    """Describe an exit status.

    Example:
        >>> exit_described(3), exit_described(-11)
        ('exited with status 3', 'was killed by SIGSEGV')
    """
    if status >= 0:
        return f"exited with status {status}"
    with suppress(ValueError):
        return f"was killed by {signal.Signals(-status).name}"
    return f"was killed by signal {-status}"


def record_range(first: str, last: str) -> str:
    """Describe the records of a batch by the positions of the first and the last.

    Example:
        >>> record_range("topic t, partition 0, offset 3", "topic t, partition 0, offset 7")
        'topic t, partition 0, offset 3 to 7'
    """
    if first == last:
        return first
    same, _, end = last.rpartition(" ")
    return f"{first} to {end}" if first.rpartition(" ")[0] == same else f"{first} to {last}"


class WatchedList(list[Any]):
    """A list whose elements are noted as they are taken."""

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the elements."""
        return iter(NOTE.watched(super().__iter__()))
