"""Serializers of windows, for programs whose window assigners return one; windows themselves are pickled."""

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
    """Serializer of a type; never called by kafkastream, which pickles state."""

    def serialize(self, element: T, stream: BytesIO) -> None:
        """Write ``element`` to ``stream``; refused, unless a subclass implements it.

        Args:
            element: Value to write.
            stream: Stream to write to.

        Raises:
            UnsupportedFeatureError: Unless overridden.
        """
        self._refuse("serialize")

    def deserialize(self, stream: BytesIO) -> T:
        """Read an element from ``stream``; refused, unless a subclass implements it."""
        self._refuse("deserialize")

    def _refuse(self, method: str) -> NoReturn:
        raise UnsupportedFeatureError(
            "windows and other namespaces are pickled",
            where=f"{type(self).__name__}.{method}",
            now="Leave the call out, or use pickle.",
        )


class VoidNamespaceSerializer(TypeSerializer[object]):
    """Serializer of the namespace of state without windows."""


class TimeWindowSerializer(TypeSerializer[TimeWindow]):
    """Serializer of ``TimeWindow``."""


class CountWindowSerializer(TypeSerializer[CountWindow]):
    """Serializer of ``CountWindow``."""


class GlobalWindowSerializer(TypeSerializer[GlobalWindow]):
    """Serializer of ``GlobalWindow``."""
