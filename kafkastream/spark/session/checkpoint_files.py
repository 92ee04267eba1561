"""Small files next to Spark's checkpoints: on any of Hadoop's file systems, or in a temporary directory."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, final

import attrs
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from kafkastream.errors import StorageError
from kafkastream.spark.internals.jvm import file_system, java_class, java_path
from kafkastream.spark.session.translate_errors import storage_error

__all__ = ["Files", "TemporaryFiles"]


@final
@attrs.frozen
class Files:
    """Files below a path, by Hadoop's file system API.

    Each method raises a ``StorageError`` with the path and the cause when the file system fails.

    Args:
        session: Spark session with the configuration of file systems.
        root: A path or URL.
    """

    session: SparkSession
    root: str

    def read(self, name: str) -> str | None:
        """Return the text of a file; None if it does not exist."""
        with self._told("read", name) as (system, path):
            if not system.exists(path):
                return None
            stream = system.open(path)
            try:
                return bytes(java_class(self.session, "org.apache.commons.io.IOUtils").toByteArray(stream)).decode()
            finally:
                stream.close()

    def replace(self, name: str, text: str) -> None:
        """Replace a file atomically: ``read_replaced`` returns the old text or the new, never a part."""
        with self._told("write", name) as (system, path):
            unfinished = path.suffix("~")
            stream = system.create(unfinished, True)
            try:
                stream.write(text.encode())
            finally:
                stream.close()
            system.delete(path, False)
            if not system.rename(unfinished, path):
                raise StorageError(
                    f"cannot rename {unfinished}", now="Check that no other program uses this directory."
                )

    def read_replaced(self, name: str) -> str | None:
        """Return the text of a file that ``replace`` writes; None if it does not exist.

        After a kill between delete and rename, only the temporary file exists; otherwise that file may be half-written.
        """
        text = self.read(name)
        return self.read(f"{name}~") if text is None else text

    def names(self, folder: str) -> list[str]:
        """Return the names in a folder; none if it does not exist."""
        with self._told("read", folder) as (system, path):
            return [str(one.getPath().getName()) for one in system.listStatus(path)] if system.exists(path) else []

    def location(self, name: str) -> str:
        """Return the location of a file or folder in the form that Spark saves."""
        with self._told("find", name) as (system, path):
            return str(system.makeQualified(path).toString())

    def make_private(self) -> None:
        """Create the root, readable and writable by its owner alone, where the file system has permissions."""
        with self._told("create", "") as (system, path):
            if not system.exists(path):
                system.mkdirs(path)
                with suppress(Py4JJavaError):  # object stores have none
                    system.setPermission(
                        path, java_class(self.session, "org.apache.hadoop.fs.permission.FsPermission")("700")
                    )

    def delete(self, name: str) -> None:
        """Remove a file or folder, if it is there."""
        with self._told("remove", name) as (system, path):
            system.delete(path, True)

    @contextmanager
    def _told(self, verb: str, name: str) -> Iterator[tuple[Any, Any]]:
        """Return the file system and the path of a file; translates errors within the ``with`` block."""
        try:
            path = java_path(self.session, f"{self.root}/{name}" if name else self.root)
            yield file_system(self.session, path), path
        except Py4JJavaError as error:
            raise storage_error(f"cannot {verb} {self.root}/{name}", error) from None


@final
@attrs.frozen
class TemporaryFiles:
    """Files below a temporary directory, which nobody reads after a crash, with the methods of ``Files``.

    Python writes them: Hadoop would start two processes for each file.

    Args:
        root: Directory.
    """

    root: Path

    def read(self, name: str) -> str | None:
        """Return the text of a file; None if it does not exist."""
        with _translated("read", self.root / name) as path:
            return path.read_text(encoding="utf-8") if path.exists() else None

    def replace(self, name: str, text: str) -> None:
        """Replace a file."""
        with _translated("write", self.root / name) as path:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def read_replaced(self, name: str) -> str | None:
        """Return the text of a file; None if it does not exist."""
        return self.read(name)

    def names(self, folder: str) -> list[str]:
        """Return the names in a folder; none if it does not exist."""
        with _translated("read", self.root / folder) as path:
            return [one.name for one in path.iterdir()] if path.exists() else []

    def location(self, name: str) -> str:
        """Return the location of a file or folder in the form that Spark saves."""
        return f"file:{self.root / name}"

    def make_private(self) -> None:
        """Create the root, readable and writable by its owner alone."""
        with _translated("create", self.root) as path:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)

    def delete(self, name: str) -> None:
        """Remove a file or folder, if it is there."""
        with _translated("remove", self.root / name) as path:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)


@contextmanager
def _translated(verb: str, path: Path) -> Iterator[Path]:
    """Return a path, and translate errors within the ``with`` block."""
    try:
        yield path
    except OSError as error:
        raise storage_error(f"cannot {verb} {path}", error) from None
