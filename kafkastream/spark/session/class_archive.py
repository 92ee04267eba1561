"""Archive of the classes of Spark's JVM: written when the first JVM of a machine ends, and read when others start.

Until its first result, a job with state loads 20,000 classes. A JVM that maps them from an archive spends half of the
time on its start: https://docs.oracle.com/en/java/javase/17/vm/class-data-sharing.html.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import attrs

__all__ = ["JVM_OPTIONS", "ArchivedClasses", "class_archive"]

JVM_OPTIONS: Final = "SPARK_SUBMIT_OPTS"
"""Environment variable with options of the JVM that ``spark-submit`` becomes:
https://github.com/apache/spark/blob/v4.2.1/launcher/src/main/java/org/apache/spark/launcher/SparkSubmitCommandBuilder.java.
"""

_SWITCH: Final = "KAFKASTREAM_CLASS_ARCHIVE"
_OPTIONS: Final = (JVM_OPTIONS, "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS")
_OWN_CHOICE: Final = ("SharedArchiveFile", "ArchiveClassesAtExit", "-Xshare")
_CLASS_PATH: Final = ("SPARK_CONF_DIR", "HADOOP_CONF_DIR", "YARN_CONF_DIR", "SPARK_DIST_CLASSPATH")
_QUIET: Final = "-Xlog:cds*=off -Xlog:class+path=off"
"""The JVM warns of each class that an archive cannot have, and of an archive that it does not use."""
_KEPT: Final = 2


@attrs.frozen
class ArchivedClasses:
    """Share of a JVM in the archive.

    Args:
        options: Options of the JVM; empty if it neither reads nor writes an archive.
        lock: File descriptor that the JVM inherits and has open until its end; None if it writes no archive.
    """

    options: str = ""
    lock: int | None = None


@contextmanager
def class_archive(folder: Path, spark: Path, environment: Mapping[str, str]) -> Iterator[ArchivedClasses]:
    """Yield what a JVM needs to read the archive, or to write it at its end if there is none, while the JVM is started.

    A writer holds a lock until it has ended, so that there is one at a time, and no one reads what is not complete. A
    JVM that is killed writes nothing, and a later one does it. The JVM itself checks that an archive fits its class path,
    and else ignores it.

    Args:
        folder: Folder of the archive.
        spark: Folder of Spark's installation.
        environment: Environment variables of the JVM; ``KAFKASTREAM_CLASS_ARCHIVE=off`` yields no options, and neither do
            options of the user about archives.
    """
    classes = _share(folder, spark, environment)
    try:
        yield classes
    finally:
        if classes.lock is not None:
            os.close(classes.lock)


def _share(folder: Path, spark: Path, environment: Mapping[str, str]) -> ArchivedClasses:
    given = " ".join(environment.get(name, "") for name in _OPTIONS)
    if environment.get(_SWITCH) == "off" or os.name != "posix" or any(one in given for one in _OWN_CHOICE):
        return ArchivedClasses()
    archive = folder / f"classes-{_digest(spark, environment)}.jsa"
    if not archive.exists():
        fresh = archive.with_suffix(".new")
        lock = _locked(archive.with_suffix(".lock"))
        if lock is None:
            return ArchivedClasses()
        _keep(fresh, archive)
        if not archive.exists():
            return ArchivedClasses(f'"-XX:ArchiveClassesAtExit={fresh}" {_QUIET}', lock)
        os.close(lock)
    return ArchivedClasses(f'"-XX:SharedArchiveFile={archive}" {_QUIET}')


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


def _digest(spark: Path, environment: Mapping[str, str]) -> str:
    """Return a digest of the Java and of what its class path is made of."""
    programs = (Path(environment["JAVA_HOME"], "bin", "java").resolve(), spark / "jars")
    parts = [f"{one} {one.stat().st_mtime_ns}" for one in programs]
    return hashlib.sha256(
        "\n".join([*parts, *(environment.get(name, "") for name in _CLASS_PATH)]).encode()
    ).hexdigest()[:8]
