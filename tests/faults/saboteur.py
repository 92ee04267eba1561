"""What goes wrong on a worker, at a point of the writing that a file names: once per file, so the harness decides when.

A file ``<folder>/<point>`` holds what is to happen to the first that comes by: ``kill``, ``stop``, ``stall`` or ``raise``.
What is noticed on the way, replays, fences and clients that answer no more, is a line in ``<folder>/events``, with its time.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from kafkastream.kafka.producer import RecordProducer, Records
from kafkastream.kafka.transactions import Marker, Slot, SlotTakenError
from kafkastream.spark.worker.batches import Batch
from kafkastream.spark.worker.transactional_writer import TransactionalWriter

__all__ = [
    "BEFORE_INIT",
    "FENCED",
    "IN_OPERATOR",
    "ON_DRIVER",
    "POINTS",
    "STALL_S",
    "come_by",
    "install",
    "install_on_driver",
]

IN_OPERATOR = "in-operator"
"""A point that functions of the job's own come by."""
BEFORE_INIT = "before-init"
"""A point that a task of an epoch comes by only at its start."""
FENCED = "fenced"
POINTS = (BEFORE_INIT, "before-begin", "mid-produce", "before-commit", "after-commit")
ON_DRIVER = ("before-commit", "after-commit", "before-noted", "any-moment")
"""Points of a driver that writes tables: before a table and behind it, behind the last one, and anywhere."""
STALL_S = 12.0
_BEFORE = {
    "begin to write": BEFORE_INIT,
    "begin a transaction": "before-begin",
    "commit a transaction": "before-commit",
}
_installed: list[Path] = []


class SabotageError(Exception):
    """What ``raise`` raises."""


def install(folder: Path) -> None:
    """Let this process come by the points."""
    if not _installed:
        _installed.append(folder)
        _sabotage_requests(folder)
        _sabotage_sending(folder)
        _watch(folder)


def _sabotage_requests(folder: Path) -> None:
    retry = Slot._retry

    def sabotaged(self: Slot, action: str, call: Callable[[float], Any], where: str = "") -> Any:
        if action in _BEFORE:
            come_by(folder, _BEFORE[action])
        result = retry(self, action, call, where)
        if action == "commit a transaction":
            come_by(folder, "after-commit")
        return result

    Slot._retry = sabotaged  # type: ignore[method-assign]


def _sabotage_sending(folder: Path) -> None:
    send = RecordProducer.send

    def sabotaged(self: RecordProducer, records: Records) -> None:
        rows = list(zip(*records[:5], strict=False))
        for some in filter(None, (rows[:20], rows[20:])):
            send(self, Records(*zip(*some, strict=True)))
            if (folder / "mid-produce").exists():
                self.flush()
                come_by(folder, "mid-produce")

    RecordProducer.send = sabotaged  # type: ignore[method-assign]


def _watch(folder: Path) -> None:
    publish, left_of = Slot.publish, TransactionalWriter.left_of

    def watched_publish(self: Slot, records: Iterable[Records], marker: Marker) -> None:
        try:
            publish(self, records, marker)
        except SlotTakenError:
            _note(folder, "mute client left" if self._is_unresponsive else FENCED)
            raise

    def watched_left_of(self: TransactionalWriter, batch: Batch) -> Batch:
        was_open = self._slot is not None
        left = left_of(self, batch)
        if not was_open and self._done > Marker(self._batch):
            _note(folder, "replay skipped")
        return left

    Slot.publish = watched_publish  # type: ignore[method-assign]
    TransactionalWriter.left_of = watched_left_of  # type: ignore[method-assign]


def install_on_driver(folder: Path) -> None:
    """Let a driver that writes Delta Lake tables come by the points."""
    from kafkastream.spark.cdc.delta.writer import DeltaWriter

    write_table, write = DeltaWriter._write, DeltaWriter.write

    def sabotaged_table(self: DeltaWriter, *arguments: Any) -> None:
        come_by(folder, "before-commit")
        write_table(self, *arguments)
        come_by(folder, "after-commit")

    def sabotaged(self: DeltaWriter, *arguments: Any) -> None:
        write(self, *arguments)
        come_by(folder, "before-noted")

    DeltaWriter._write = sabotaged_table  # type: ignore[assignment, method-assign]
    DeltaWriter.write = sabotaged  # type: ignore[assignment, method-assign]
    threading.Thread(target=_at_any_moment, args=(folder,), daemon=True).start()


def _at_any_moment(folder: Path) -> None:
    while True:
        with suppress(SabotageError):  # which nobody would hear of
            come_by(folder, "any-moment")
        time.sleep(0.01)


def come_by(folder: Path, point: str) -> None:
    """Suffer what the harness wants the next to suffer that comes by a point."""
    taken = folder / f"{point}.{os.getpid()}"
    try:
        (folder / point).rename(taken)
    except FileNotFoundError:
        return
    match taken.read_text():
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
        case "stall":  # and outlive the driver, which says good-bye to its workers with this signal
            if threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGHUP, signal.SIG_IGN)
            time.sleep(STALL_S)
        case _:
            raise SabotageError(point)


def _note(folder: Path, event: str) -> None:
    with (folder / "events").open("a") as events:
        events.write(f"{time.time()} {event}\n")
