"""The one owner of a checkpoint folder: a second start of a running job is refused, one after a crash is not.

The owner rewrites a file in the folder every few seconds. A start that finds a file from its own host checks whether
the owner's process is alive. If the file is from another host, it watches for a while whether the file still changes:
clocks of two hosts are never compared. An owner that finds another owner's file, since it was suspended for too long,
ends its job.
"""

from __future__ import annotations

import logging
import os
import platform
import threading
import time
import uuid
from typing import Final, final

import attrs
import msgspec
import psutil

from kafkastream.errors import JobError, KafkastreamError
from kafkastream.spark.checkpoint.folder import CheckpointFolder

__all__ = ["OWNER_FILE", "FolderOwner"]

log = logging.getLogger("kafkastream")

OWNER_FILE: Final = "owner.json"
BEAT_S: Final = 5.0
"""Seconds between two writes of an owner."""
PATIENCE_S: Final = 4 * BEAT_S
"""Seconds without a change after which an owner on another host counts as dead."""
_LOOK_S: Final = 0.5
_SETTLED_S: Final = 0.2
_alive: Final[set[str]] = set()
"""The owners in this process."""


@final
@attrs.frozen(kw_only=True)
class OwnerRecord:
    """Owner of a checkpoint folder, as its file names it.

    Args:
        token: Unique for each start.
        host: Its host.
        pid: Its process there.
        process_began: When that process began, by its host's clock, since process ids are reused.
        beats: Number of writes of the file so far.
    """

    token: str
    host: str
    pid: int
    process_began: float
    beats: int = 0

    @staticmethod
    def new() -> OwnerRecord:
        """Return a new owner, for this process."""
        own = psutil.Process()
        return OwnerRecord(token=uuid.uuid4().hex, host=platform.node(), pid=own.pid, process_began=own.create_time())

    @staticmethod
    def of_text(text: str | None) -> OwnerRecord | None:
        """Return the record in a file; None without a file, or if a killed process left half of one."""
        try:
            return None if text is None else msgspec.json.decode(text, type=OwnerRecord)
        except msgspec.DecodeError:
            return None

    @property
    def is_here(self) -> bool:
        """True if the owner's process runs, or ran, on this host."""
        return self.host == platform.node()

    @property
    def lives_here(self) -> bool:
        """True if the owner's process runs on this host and still has the job."""
        if self.pid == os.getpid():
            return self.token in _alive
        try:
            return abs(psutil.Process(self.pid).create_time() - self.process_began) < 1
        except psutil.NoSuchProcess:
            return False
        except psutil.AccessDenied:
            return True


@final
class FolderOwner:
    """Ownership of a folder, until ``release``.

    Args:
        folder: The folder.
        job: The job's name.
        record: First content of the owner's file.
    """

    def __init__(self, folder: CheckpointFolder, job: str, record: OwnerRecord) -> None:
        self._folder = folder
        self._job = job
        self._record = record
        self._over = threading.Event()
        self._lost: JobError | None = None
        self._thread = threading.Thread(target=self._beat, name=f"kafkastream-owner-{job}", daemon=True)

    @staticmethod
    def take(folder: CheckpointFolder, job: str) -> FolderOwner:
        """Become the owner of a folder; a temporary folder needs none.

        Raises:
            JobError: The folder has a live owner.
        """
        owner = FolderOwner(folder, job, OwnerRecord.new())
        if folder.temporary:
            return owner
        folder.make()
        found = _read(folder)
        if found is not None and _lives(folder, found, job):
            raise owner._refused(found)
        owner._write()
        time.sleep(_SETTLED_S)  # if two start at once, the last writer becomes the owner
        found = _read(folder)
        if found is not None and found.token != owner._record.token:
            raise owner._refused(found)
        _alive.add(owner._record.token)
        owner._thread.start()
        return owner

    def lost(self) -> KafkastreamError | None:
        """The error that the folder has another owner now; None while it has not."""
        return self._lost

    def release(self) -> None:
        """Delete the owner's file."""
        self._over.set()
        if not self._thread.is_alive():
            return
        self._thread.join()
        _alive.discard(self._record.token)
        try:
            if self._lost is None:
                self._folder.delete(OWNER_FILE)
        except Exception as error:  # noqa: BLE001 - a file that stays is known by its process to be nobody's
            log.debug("%s was not removed: %s", OWNER_FILE, error)

    def _beat(self) -> None:
        while not self._over.wait(BEAT_S):
            try:
                found = _read(self._folder)
                if found is not None and found.token != self._record.token:
                    self._lost = self._refused(found)
                    return
                self._record = attrs.evolve(self._record, beats=self._record.beats + 1)
                self._write()
            except Exception as error:  # noqa: BLE001 - the file system may come back
                log.debug("%s was not written: %s", OWNER_FILE, error)

    def _write(self) -> None:
        self._folder.replace(OWNER_FILE, msgspec.json.encode(self._record).decode())

    def _refused(self, other: OwnerRecord) -> JobError:
        return JobError(
            f"job {self._job!r} runs already, as process {other.pid} on host {other.host}",
            where=f"checkpoint {self._folder.path}",
            now="Stop it first, or give this job another name or checkpoint directory.",
        )


def _read(folder: CheckpointFolder) -> OwnerRecord | None:
    return OwnerRecord.of_text(folder.read(OWNER_FILE))


def _lives(folder: CheckpointFolder, found: OwnerRecord, job: str) -> bool:
    """Return whether an owner is alive: look at its process on this host, or watch the file of an owner on another."""
    if found.is_here:
        return found.lives_here
    log.warning(
        "job %r ran on host %s and was not stopped: waiting up to %g s to see whether it still does",
        job,
        found.host,
        PATIENCE_S,
    )
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        time.sleep(_LOOK_S)
        if _read(folder) != found:
            return _read(folder) is not None
    return False
