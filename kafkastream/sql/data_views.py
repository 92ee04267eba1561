"""Views in the accumulators of aggregate functions: a list and a map, which are kept in the state of their group."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar, final

__all__ = ["DataView", "K", "ListView", "MapView", "T", "V"]

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


class DataView(ABC):
    """Collection in an accumulator.

    Differs from Flink: a view is read and written with the rest of its group, and not entry by entry.
    """

    @abstractmethod
    def clear(self) -> None:
        """Remove all entries."""


@final
class ListView(DataView, Generic[T]):
    """List in an accumulator.

    Example:
        >>> view = ListView()
        >>> view.add_all(["a", "b"])
        >>> list(view), view == ListView()
        (['a', 'b'], False)
    """

    def __init__(self) -> None:
        self._list: list[T] = []

    def get(self) -> Iterable[T]:
        """Return the values in order."""
        return self._list

    def add(self, value: T) -> None:
        """Append a value."""
        self._list.append(value)

    def add_all(self, values: Iterable[T]) -> None:
        """Append several values."""
        self._list.extend(values)

    def clear(self) -> None:
        """Remove all values."""
        self._list = []

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ListView) and self._list == other._list

    def __hash__(self) -> int:
        return hash(tuple(self._list))

    def __iter__(self) -> Iterator[T]:
        return iter(self._list)


@final
class MapView(DataView, Generic[K, V]):
    """Map in an accumulator.

    Example:
        >>> view = MapView()
        >>> view["a"] = 1
        >>> view.get("a"), "b" in view, list(view.items())
        (1, False, [('a', 1)])
    """

    __hash__ = None  # type: ignore[assignment] # as PyFlink's, which changes

    def __init__(self) -> None:
        self._dict: dict[K, V] = {}

    def get(self, key: K) -> V:
        """Return the value of a key.

        Raises:
            KeyError: There is none.
        """
        return self._dict[key]

    def put(self, key: K, value: V) -> None:
        """Set the value of a key.

        Args:
            key: Key, which has to be hashable.
            value: Value, which replaces an existing one.
        """
        self._dict[key] = value

    def put_all(self, dict_value: Mapping[K, V]) -> None:
        """Set the values of several keys, given by ``dict_value``."""
        self._dict.update(dict_value)

    def remove(self, key: K) -> None:
        """Remove a key.

        Raises:
            KeyError: The key is not there.
        """
        del self._dict[key]

    def contains(self, key: K) -> bool:
        """Return whether ``key`` has a value."""
        return key in self._dict

    def items(self) -> Iterable[tuple[K, V]]:
        """Return all keys with their values."""
        return self._dict.items()

    def keys(self) -> Iterable[K]:
        """Return all keys."""
        return self._dict.keys()

    def values(self) -> Iterable[V]:
        """Return all values."""
        return self._dict.values()

    def is_empty(self) -> bool:
        """Return whether the map has no keys."""
        return not self._dict

    def clear(self) -> None:
        """Remove all keys."""
        self._dict.clear()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MapView) and self._dict == other._dict

    def __getitem__(self, key: K) -> V:
        return self.get(key)

    def __setitem__(self, key: K, value: V) -> None:
        self.put(key, value)

    def __delitem__(self, key: K) -> None:
        self.remove(key)

    def __contains__(self, key: Any) -> bool:
        return key in self._dict

    def __iter__(self) -> Iterator[K]:
        return iter(self._dict)
