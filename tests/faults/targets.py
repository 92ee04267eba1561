"""What an attacked job has written, as a reader of committed records and rows sees it."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Protocol, final

from confluent_kafka import Message
from pyarrow import parquet
from typing_extensions import Self

from kafkastream.kafka.admin import Cluster
from kafkastream.model.connectors.subscription import TopicPartition
from tests.committed import Reader
from tests.faults.operators_model import PARTITIONS

__all__ = ["LAKE", "LakeTables", "Target", "Topics"]

LAKE: Final = "lake"
_LOOK_EVERY_S: Final = 2.0

Written = tuple[str, str]
"""Where something was written to, and its text."""


class Target(Protocol):
    """Where a job writes to, read on from look to look."""

    def some(self) -> list[Written]:
        """Return what has come since the last look."""

    def aborted(self) -> int:
        """Return how many records are there of transactions that came to nothing."""

    def has_open_transactions(self) -> bool:
        """Whether a transaction of a sink is open."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...


@final
class Topics:
    """Topics of a broker.

    Args:
        servers: The broker.
        topics: Their names.
    """

    def __init__(self, servers: str, topics: Sequence[str]) -> None:
        self._servers = servers
        self._topics = topics
        self._reader = Reader(servers, topics, PARTITIONS)
        self._committed = 0

    def __enter__(self) -> Self:
        self._reader.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._reader.__exit__(kind, error, traceback)

    def some(self) -> list[Written]:
        """Return the committed records since the last look."""
        found = list(map(_written, self._reader.some()))
        self._committed += len(found)
        return found

    def aborted(self) -> int:
        """Return how many records committed reading leaves out."""
        with Reader(self._servers, self._topics, PARTITIONS, "read_uncommitted") as reader:
            return sum(1 for _ in reader.rest()) - self._committed

    def has_open_transactions(self) -> bool:
        """Whether committed reading does not come to the end."""
        partitions = [TopicPartition(topic, number) for topic in self._topics for number in range(PARTITIONS)]
        given = {"bootstrap.servers": self._servers}
        readable = Cluster({**given, "isolation.level": "read_committed"}).readable_ends(partitions)
        return readable != Cluster(given).end_offsets(partitions)


def _written(message: Message) -> Written:
    return message.topic() or "", (message.value() or b"").decode()


@final
class LakeTables:
    """Delta Lake tables with a column ``number``, all of them together as ``LAKE``.

    Read by their logs, without Delta's own code.

    Args:
        root: Folder of the tables.
        tables: Their folders in it.
    """

    def __init__(self, root: Path, tables: Sequence[str]) -> None:
        self._paths = [root / table for table in tables]
        self._seen: Counter[int] = Counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Return: nothing is open."""

    def some(self) -> list[Written]:
        """Return the rows that the tables have now, and had not at the last look."""
        time.sleep(_LOOK_EVERY_S)
        found = Counter(number for path in self._paths for number in _numbers(path))
        new, gone = found - self._seen, self._seen - found
        assert not gone, f"rows have vanished: {sorted(gone)[:10]}"
        self._seen = found
        return [(LAKE, str(number)) for number in new.elements()]

    def aborted(self) -> int:
        """Return how many data files no version of a table has ever had."""
        written = sum(1 for path in self._paths for _ in path.rglob("part-*.parquet"))
        return written - sum(kind == "add" for path in self._paths for kind, _ in _changes(path))

    def has_open_transactions(self) -> bool:
        """Return False: a commit to a log is one file."""
        return False


def _numbers(path: Path) -> list[int]:
    """Return the numbers in a table's newest version."""
    files: set[str] = set()
    for kind, file in _changes(path):
        (files.add if kind == "add" else files.discard)(file)
    tables = (parquet.read_table(path / file, columns=["number"]) for file in sorted(files))
    return [number for table in tables for number in table["number"].to_pylist()]


def _changes(path: Path) -> Iterator[tuple[str, str]]:
    """Yield which files were added to a table, and removed from it."""
    for log in sorted((path / "_delta_log").glob("*.json")):
        actions = [json.loads(line) for line in log.read_text().splitlines()]
        for kind in ("remove", "add"):
            yield from ((kind, one[kind]["path"]) for one in actions if kind in one)
