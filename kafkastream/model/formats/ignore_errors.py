"""Readers with ``ignore_parse_errors``: a value that cannot be read is null."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

__all__ = ["or_none"]

S = TypeVar("S")
T = TypeVar("T")


def or_none(function: Callable[[S], T]) -> Callable[[S], T | None]:
    """Return the function, with None as the result where it raises."""

    def lenient(given: S) -> T | None:
        try:
            return function(given)
        except Exception:  # noqa: BLE001 - whatever is wrong with the input
            return None

    return lenient
