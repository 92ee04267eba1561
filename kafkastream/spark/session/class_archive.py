"""Archive of a JVM's classes: written when the first JVM of a machine ends, and read when others start.

Until its first result, Spark's JVM loads 20,000 classes for a job with state. A JVM that maps them from an archive spends
half of the time on its start: https://docs.oracle.com/en/java/javase/17/vm/class-data-sharing.html. The broker of
``kafkastream.testing`` has such an archive, too.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import attrs

__all__ = ["ArchivedClasses", "archive_of", "class_archive"]

_SWITCH: Final = "KAFKASTREAM_CLASS_ARCHIVE"
_OPTIONS: Final = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS")
_OWN_CHOICE: Final = ("SharedArchiveFile", "ArchiveClassesAtExit", "-Xshare")
_QUIET: Final = ("-Xlog:cds*=off", "-Xlog:class+path=off")
"""The JVM warns of each class that an archive cannot have, and of an archive that it does not use."""
_KEPT: Final = 2


@attrs.frozen
class ArchivedClasses:
    """Share of a JVM in the archive.

    Args:
        options: Options of the JVM; empty if it neither reads nor writes an archive.
        lock: File descriptor that the JVM, or the process that guards it, inherits and has open until its end; None if the
            JVM writes no archive.
    """

    options: tuple[str, ...] = ()
    lock: int | None = None

    @property
    def inherited(self) -> tuple[int, ...]:
        """File descriptors that the process inherits, for ``pass_fds``."""
        return () if self.lock is None else (self.lock,)


def archive_of(folder: Path, programs: Iterable[Path], settings: Iterable[str] = ()) -> Path:
    """Return the path of an archive, whose name changes with what its classes depend on.

    Args:
        folder: Folder of archives.
        programs: Java, and folders of jars; with their times of modification.
        settings: What else decides on the class path.
    """
    parts = [*(f"{one} {one.stat().st_mtime_ns}" for one in programs), *settings]
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()
    return folder / f"classes-{digest[:8]}.jsa"


@contextmanager
def class_archive(archive: Path, environment: Mapping[str, str], options: str = "") -> Iterator[ArchivedClasses]:
    """Yield what a JVM needs to read the archive, or to write it at its end if there is none, while the JVM is started.

    A writer holds a lock until it has ended, so that there is one at a time, and no one reads what is not complete. A
    JVM that is killed writes nothing, and a later one does it. The JVM itself checks that an archive fits its class path,
    and else ignores it.

    Args:
        archive: Path of the archive, by ``archive_of``.
        environment: Environment variables of the JVM; ``KAFKASTREAM_CLASS_ARCHIVE=off`` yields no options, and neither do
            options of the user about archives.
        options: Further options that the user gives to the JVM.
    """
    given = " ".join([options, *(environment.get(name, "") for name in _OPTIONS)])
    is_off = environment.get(_SWITCH) == "off" or os.name != "posix" or any(one in given for one in _OWN_CHOICE)
    classes = ArchivedClasses() if is_off else _share(archive)
    try:
        yield classes
    finally:
        if classes.lock is not None:
            os.close(classes.lock)


def _share(archive: Path) -> ArchivedClasses:
    if not archive.exists():
        fresh = archive.with_suffix(".new")
        lock = _locked(archive.with_suffix(".lock"))
        if lock is None:
            return ArchivedClasses()
        _keep(fresh, archive)
        if not archive.exists():
            return ArchivedClasses((f"-XX:ArchiveClassesAtExit={fresh}", *_QUIET), lock)
        os.close(lock)
    return ArchivedClasses((f"-XX:SharedArchiveFile={archive}", *_QUIET))


def _locked(path: Path) -> int | None:
    """Return the descriptor of a lock; None if a process has it open already, or the folder cannot be written to."""
    import fcntl  # not on Windows

    try:
        lock = os.open(path, os.O_CREAT | os.O_RDWR, 0o644)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        return None
    return lock


def _keep(fresh: Path, archive: Path) -> None:
    """Keep what a JVM has written that has ended; its header is last, so a file that begins with zeros is not complete."""
    with suppress(FileNotFoundError):
        with fresh.open("rb") as file:
            is_complete = any(file.read(4))
        if is_complete:
            fresh.replace(archive)
            by_age = sorted(archive.parent.glob("classes-*.jsa"), key=lambda one: one.stat().st_mtime)
            for outdated in by_age[:-_KEPT]:
                outdated.unlink(missing_ok=True)
        else:
            fresh.unlink()
