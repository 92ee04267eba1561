"""What a checkpoint directory holds, and how long its micro-batches took."""

from __future__ import annotations

import os
import statistics
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import final

__all__ = ["Folder"]

_MIB = 1024 * 1024


@final
class Folder:
    """A checkpoint directory, looked at from time to time.

    Spark writes a file in ``offsets`` when a micro-batch begins, and one in ``commits`` when it has ended.

    Args:
        path: The directory.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: set[Path] = set()

    def look(self) -> Mapping[str, float]:
        """Files and MiB now; how many micro-batches have ended since the last look, and their median duration."""
        sizes = [size for size in map(_size, _files(self._path)) if size is not None]
        durations = list(self._new_durations())
        batches: dict[str, float] = {"micro-batches": len(durations)}
        if durations:
            batches["micro-batch seconds"] = statistics.median(durations)
        return {"checkpoint files": len(sizes), "checkpoint MiB": sum(sizes) / _MIB, **batches}

    def queries_at_work(self) -> int:
        """How many queries have completed a micro-batch."""
        return len(list(self._path.glob("*/*/commits/0")))

    def _new_durations(self) -> Iterator[float]:
        for ended in set(self._path.glob("*/*/commits/[0-9]*")) - self._seen:
            self._seen.add(ended)
            with suppress(FileNotFoundError):
                began = ended.parent.parent / "offsets" / ended.name
                yield ended.stat().st_mtime - began.stat().st_mtime


def _files(path: Path) -> Iterator[str]:
    return (os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)  # noqa: PTH118 - thousands


def _size(path: str) -> int | None:
    try:
        return os.stat(path).st_size  # noqa: PTH116 - thousands
    except FileNotFoundError:
        return None
