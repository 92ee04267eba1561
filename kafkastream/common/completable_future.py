"""``CompletableFuture`` of a ``JobClient``, at PyFlink's path."""

from __future__ import annotations

from concurrent.futures import Future as CompletableFuture

__all__ = [
    "CompletableFuture",
]
