"""Size of the state in a checkpoint: of the last version alone, without those that Spark keeps for a while."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final
from zipfile import ZipFile

__all__ = ["size_of_last_version"]

_METADATA: Final = "metadata"
"""File in a snapshot: a line with the format's version, then JSON that lists the snapshot's other files.

https://github.com/apache/spark/blob/v4.2.1/sql/core/src/main/scala/org/apache/spark/sql/execution/streaming/state/RocksDBFileManager.scala
"""


def size_of_last_version(checkpoint: Path) -> int:
    """Return how much the next start reads to restore all state in a checkpoint, in bytes.

    Spark keeps the last 100 versions (``spark.sql.streaming.minBatchesToRetain``), so the size of the folder depends on
    the number of micro-batches.

    Args:
        checkpoint: Folder with the checkpoints of queries with state in RocksDB, of any depth.
    """
    return sum(_size(store) for store in {snapshot.parent for snapshot in checkpoint.rglob("*.zip")})


def _size(store: Path) -> int:
    """Return the size of the last snapshot of a partition and of the changelogs since."""
    last = max(int(snapshot.stem) for snapshot in store.glob("*.zip"))
    snapshot = store / f"{last}.zip"
    with ZipFile(snapshot) as files:
        _, _, listed = files.read(_METADATA).decode().partition("\n")
    since = [one for one in store.glob("*.changelog") if int(one.stem) > last]
    tables: int = sum(table["sizeBytes"] for table in json.loads(listed)["sstFiles"])
    return tables + sum(one.stat().st_size for one in (snapshot, *since))
