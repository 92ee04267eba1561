"""Readers with ``ignore_parse_errors``: a value that cannot be read is null."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from kafkastream.model.formats.malformed import is_malformed

__all__ = ["or_none"]

S = TypeVar("S")
T = TypeVar("T")


def or_none(function: Callable[[S], T]) -> Callable[[S], T | None]:
    """Return the function, with None as the result for malformed input."""

    def lenient(given: S) -> T | None:
        try:
            return function(given)
        except Exception as error:
            if not is_malformed(error):
                raise
            return None

    return lenient
