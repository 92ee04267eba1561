"""Interface of the store of a bucket's state between micro-batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

__all__ = ["Entry", "KeyedStateBackend"]

Entry = dict[Any, Any]
"""State of one key: the content of each of its states, by name."""


class KeyedStateBackend(Protocol):
    """Store of bytes by key, which keeps them between micro-batches."""

    def get(self, key: bytes) -> bytes | None:
        """Return the value of ``key``, or None if there is none."""

    def get_all(self, keys: Sequence[bytes]) -> Iterator[bytes | None]:
        """Yield the value of each key, as ``get``; reading many keys at once costs little more than reading one."""

    def put(self, key: bytes, value: bytes) -> None:
        """Store a value."""

    def remove(self, key: bytes) -> None:
        """Remove a value, if there is one."""

    def dumps(self, content: Any) -> bytes:
        """Pickle ``content`` for ``state_pickles.loads``, including objects of classes that the user's script defines."""
