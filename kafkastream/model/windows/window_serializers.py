"""Serializers of windows, which programs with window assigners of their own name; windows are pickled here."""

from __future__ import annotations

from abc import ABC
from io import BytesIO
from typing import Generic, NoReturn, TypeVar

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.windows.windows import CountWindow, GlobalWindow, TimeWindow

__all__ = [
    "CountWindowSerializer",
    "GlobalWindowSerializer",
    "T",
    "TimeWindowSerializer",
    "TypeSerializer",
    "VoidNamespaceSerializer",
]


T = TypeVar("T")


class TypeSerializer(ABC, Generic[T]):
    """Writes and reads objects of a type; nobody calls it here, since all that is kept is pickled."""

    def serialize(self, element: T, stream: BytesIO) -> None:
        """Refused, unless a subclass does it."""
        self._refuse("serialize")

    def deserialize(self, stream: BytesIO) -> T:
        """Refused, unless a subclass does it."""
        self._refuse("deserialize")

    def _refuse(self, method: str) -> NoReturn:
        raise UnsupportedFeatureError(
            "windows and other namespaces are pickled",
            where=f"{type(self).__name__}.{method}",
            now="Leave the call out, or use pickle.",
        )


class VoidNamespaceSerializer(TypeSerializer[object]):
    """For state that belongs to a key alone."""


class TimeWindowSerializer(TypeSerializer[TimeWindow]):
    """For windows by time."""


class CountWindowSerializer(TypeSerializer[CountWindow]):
    """For windows by count."""


class GlobalWindowSerializer(TypeSerializer[GlobalWindow]):
    """For the global window."""
