"""Immutable mappings, whose ``repr`` hides secrets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar, final

from kafkastream.secret_masking import redacted

__all__ = ["FrozenMap"]

K = TypeVar("K")
V = TypeVar("V")


@final
class FrozenMap(Mapping[K, V]):
    """Immutable mapping: hashes, pickles, equals any mapping with the same items, and hides secrets in ``repr``.

    Example:
        >>> FrozenMap({"acks": "1"}) | {"acks": "all", "sasl.password": "pw"}
        FrozenMap({'acks': 'all', 'sasl.password': '***'})
    """

    __slots__ = ("_items",)
    _items: dict[K, V]

    def __init__(self, items: Mapping[K, V] | Iterable[tuple[K, V]] = ()) -> None:
        object.__setattr__(self, "_items", dict(items))

    def set(self, key: K, value: V) -> FrozenMap[K, V]:
        """Return a copy in which ``key`` has ``value``."""
        return FrozenMap({**self._items, key: value})

    def __or__(self, other: Mapping[K, V]) -> FrozenMap[K, V]:
        return FrozenMap({**self._items, **other})

    def __getitem__(self, key: K) -> V:
        return self._items[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __eq__(self, other: object) -> bool:
        return self._items == dict(other) if isinstance(other, Mapping) else NotImplemented

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return f"FrozenMap({redacted(self)})"

    def __reduce__(self) -> tuple[type[FrozenMap[K, V]], tuple[dict[K, V]]]:
        return (FrozenMap, (self._items,))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a FrozenMap cannot change: {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a FrozenMap cannot change: {name}")
