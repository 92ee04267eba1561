"""Keyed state of a driven job, in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, final

from kafkastream.spark.internals.pickles import state_dumps

__all__ = ["MemoryBackend"]


@final
class MemoryBackend:
    """State of one subtask: bytes by key, as Spark's state store has them.

    Args:
        content: Content to begin with.
    """

    def __init__(self, content: Mapping[bytes, bytes] | None = None) -> None:
        self.content = dict(content or {})

    def get(self, key: bytes) -> bytes | None:
        """Return the value of ``key``, or None if there is none."""
        return self.content.get(key)

    def get_all(self, keys: Sequence[bytes]) -> Iterator[bytes | None]:
        """Yield the value of each key."""
        return map(self.content.get, keys)

    def put(self, key: bytes, value: bytes) -> None:
        """Store a value."""
        self.content[key] = value

    def remove(self, key: bytes) -> None:
        """Remove a value, if there is one."""
        self.content.pop(key, None)

    def dumps(self, content: Any) -> bytes:
        """Pickle ``content``; code is refused, as on Spark."""
        return state_dumps(content)
