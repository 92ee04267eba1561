"""Where the state of a bucket's keys is kept between micro-batches."""

from __future__ import annotations

from typing import Any, Protocol

__all__ = ["Entry", "KeyedStateBackend"]

Entry = dict[Any, Any]
"""What is kept for one key: the content of each of its states."""


class KeyedStateBackend(Protocol):
    """Where bytes are kept between micro-batches."""

    def get(self, key: bytes) -> bytes | None:
        """What was put there last; None when nothing was, or it was removed."""

    def put(self, key: bytes, value: bytes) -> None:
        """Keep a value."""

    def remove(self, key: bytes) -> None:
        """Forget a value."""

    def dumps(self, content: Any) -> bytes:
        """What ``pickle.loads`` reads again, also of classes that are defined in the user's script."""
