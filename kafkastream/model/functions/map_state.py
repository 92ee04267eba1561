"""States that hold a map: one for each key, or one for all of them, the broadcast state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar, final

from kafkastream.model.functions.keyed_state import State
from kafkastream.model.functions.state_ttl import ABSENT

__all__ = ["BroadcastState", "MapState", "ReadOnlyBroadcastState"]

K = TypeVar("K")
V = TypeVar("V")


class ReadOnlyBroadcastState(State, Generic[K, V]):
    """Map that is equal in all subtasks, without the methods that change it."""

    __slots__ = ()

    def get(self, key: K) -> V | None:
        """Return the value of ``key``, or None if there is no entry."""
        if self._cell.life is None:
            return self._shown(self._content().get(key))  # type: ignore[no-any-return]
        value = self._read(self._content(), key)
        return None if value is ABSENT else self._shown(value)

    def contains(self, key: K) -> bool:
        """Return whether there is an entry for ``key``."""
        return self._read(self._content(), key) is not ABSENT

    def items(self) -> Iterable[tuple[K, V]]:
        """Return an iterator over all entries, as ``(key, value)``."""
        content = self._content()
        seen = [(key, self._read(content, key)) for key in list(content)]
        return iter([(key, self._shown(value)) for key, value in seen if value is not ABSENT])

    def keys(self) -> Iterable[K]:
        """Return an iterator over the keys of all entries."""
        return iter([key for key, _ in self.items()])

    def values(self) -> Iterable[V]:
        """Return an iterator over the values of all entries."""
        return iter([value for _, value in self.items()])

    def is_empty(self) -> bool:
        """Return whether there are no entries."""
        return not self._content()

    isEmpty = is_empty

    def __getitem__(self, key: K) -> V | None:
        return self.get(key)

    def __contains__(self, key: K) -> bool:
        return self.contains(key)

    def __iter__(self) -> Iterator[K]:
        return iter(self.keys())

    def _content(self) -> dict[K, Any]:
        content: dict[K, Any] | None = self._cell.get()
        return {} if content is None else content

    def _read(self, content: dict[K, Any], key: K) -> Any:
        """Return the value of an entry, or ``ABSENT`` if it is missing or has expired."""
        life, before = self._cell.life, content.get(key, ABSENT)
        if life is None or before is ABSENT:
            return before
        value, kept = life.read(before)
        if kept is None:
            del content[key]
            self._cell.set(content or None)
        elif kept is not before:
            content[key] = kept
            self._cell.set(content)
        return value


class BroadcastState(ReadOnlyBroadcastState[K, V]):
    """Map that is equal in all subtasks, as long as functions change it in the same way in each."""

    __slots__ = ()

    def put(self, key: K, value: V) -> None:
        """Set the value of ``key``.

        Args:
            key: Key of the entry.
            value: Value, which replaces an existing one.

        Raises:
            TypeError: The key or value is not of the type that the state was declared with.
        """
        self.put_all({key: value})

    def put_all(self, dict_value: Mapping[K, V] | Iterable[tuple[K, V]]) -> None:
        """Set several entries.

        Args:
            dict_value: A mapping, or pairs ``(key, value)``, which PyFlink takes.

        Raises:
            TypeError: A key or value is not of the type that the state was declared with.
        """
        content, life, entries = self._content(), self._cell.life, dict(dict_value)
        if self._cell.check is not None:
            self._cell.check(entries)
        content.update(entries if life is None else {key: life.begun(value) for key, value in entries.items()})
        self._cell.set(content or None)

    putAll = put_all

    def remove(self, key: K) -> None:
        """Remove the entry of ``key``, if there is one."""
        content = self._content()
        if key in content:
            del content[key]
            self._cell.set(content or None)

    def __setitem__(self, key: K, value: V) -> None:
        self.put(key, value)

    def __delitem__(self, key: K) -> None:
        self.remove(key)


@final
class MapState(BroadcastState[K, V]):
    """State that holds a map for each key of the stream."""

    __slots__ = ()
