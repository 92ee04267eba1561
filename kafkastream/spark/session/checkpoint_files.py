"""Small files on whatever Spark keeps checkpoints on: a local disk, HDFS, an object store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, final

import attrs
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from kafkastream.errors import StorageError
from kafkastream.spark.internals.jvm import file_system, java_path, jvm_of
from kafkastream.spark.session.translate_errors import storage_error

__all__ = ["Files"]


@final
@attrs.frozen
class Files:
    """The files below a path, through Hadoop's file systems.

    Each method raises a ``StorageError`` with the path and the cause when the file system fails.

    Args:
        session: Whose configuration of file systems.
        root: A path or URL.
    """

    session: SparkSession
    root: str

    def read(self, name: str) -> str | None:
        """The text of a file; None when there is none."""
        with self._told("read", name) as (system, path):
            if not system.exists(path):
                return None
            stream = system.open(path)
            try:
                return bytes(jvm_of(self.session).org.apache.commons.io.IOUtils.toByteArray(stream)).decode()
            finally:
                stream.close()

    def replace(self, name: str, text: str) -> None:
        """Write a file as a whole: who reads it with ``read_replaced`` sees the old text or the new."""
        with self._told("write", name) as (system, path):
            unfinished = path.suffix("~")
            stream = system.create(unfinished, True)
            try:
                stream.write(text.encode())
            finally:
                stream.close()
            system.delete(path, False)
            if not system.rename(unfinished, path):
                raise StorageError(f"cannot rename {unfinished}", now="Does another program use this directory?")

    def read_replaced(self, name: str) -> str | None:
        """The text of a file that ``replace`` writes; None when there is none.

        Where a kill came between delete and rename, only the new text's file is there; else that may be half-written.
        """
        text = self.read(name)
        return self.read(f"{name}~") if text is None else text

    def names(self, folder: str) -> list[str]:
        """The names in a folder; none when there is no such folder."""
        with self._told("read", folder) as (system, path):
            return [str(one.getPath().getName()) for one in system.listStatus(path)] if system.exists(path) else []

    def location(self, name: str) -> str:
        """Location of a file or folder, as Spark writes it down."""
        with self._told("find", name) as (system, path):
            return str(system.makeQualified(path).toString())

    def make_private(self) -> None:
        """Create the root, readable and writable by its owner alone, where the file system has permissions."""
        with self._told("create", "") as (system, path):
            if not system.exists(path):
                system.mkdirs(path)
                with suppress(Py4JJavaError):  # object stores have none
                    system.setPermission(path, jvm_of(self.session).org.apache.hadoop.fs.permission.FsPermission("700"))

    def delete(self, name: str) -> None:
        """Remove a file or folder, if it is there."""
        with self._told("remove", name) as (system, path):
            system.delete(path, True)

    @contextmanager
    def _told(self, verb: str, name: str) -> Iterator[tuple[Any, Any]]:
        """The file system and the path of a file, whose errors are told in the user's words."""
        try:
            path = java_path(self.session, f"{self.root}/{name}" if name else self.root)
            yield file_system(self.session, path), path
        except Py4JJavaError as error:
            raise storage_error(f"cannot {verb} {self.root}/{name}", error) from None
