"""Priority queue in a list, with the order that Java's PriorityQueue gives to equal items.

Flink keeps partial matches in such a queue and goes through it in the order of its array, so that the order of matches
with the same first row depends on it. https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/util/PriorityQueue.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Generic, TypeVar, final

__all__ = ["JavaHeap"]

_T = TypeVar("_T")
_LATEST: Final = float("inf")


@final
class JavaHeap(Generic[_T]):
    """Operations on lists that are heaps.

    Args:
        rank: Returns the rank of an item; None for the last one.

    Example:
        >>> heap = JavaHeap(lambda item: item[0])
        >>> items = []
        >>> for one in ((2, "a"), (1, "b"), (2, "c"), (1, "d")):
        ...     heap.add(items, one)
        >>> items
        [(1, 'b'), (1, 'd'), (2, 'c'), (2, 'a')]
        >>> heap.poll(items), items
        ((1, 'b'), [(1, 'd'), (2, 'a'), (2, 'c')])
    """

    def __init__(self, rank: Callable[[_T], float | None]) -> None:
        self._rank_of = rank

    def rank(self, item: _T) -> float:
        """Return the rank of an item."""
        found = self._rank_of(item)
        return _LATEST if found is None else found

    def add(self, items: list[_T], item: _T) -> None:
        """Add an item."""
        items.append(item)
        at, rank = len(items) - 1, self.rank(item)
        while at > 0:
            parent = (at - 1) // 2
            if rank >= self.rank(items[parent]):
                break
            items[at] = items[parent]
            at = parent
        items[at] = item

    def poll(self, items: list[_T]) -> _T:
        """Remove and return the first item."""
        first, last = items[0], items.pop()
        if items:
            items[0] = last
            self._sink(items, 0)
        return first

    def remove(self, items: list[_T], is_removed: Callable[[_T], bool]) -> None:
        """Remove items that meet a condition."""
        kept = [one for one in items if not is_removed(one)]
        if len(kept) < len(items):
            items[:] = kept
            for at in range(len(items) // 2 - 1, -1, -1):
                self._sink(items, at)

    def _sink(self, items: list[_T], at: int) -> None:
        item = items[at]
        rank, half = self.rank(item), len(items) // 2
        while at < half:
            child = 2 * at + 1
            if child + 1 < len(items) and self.rank(items[child]) > self.rank(items[child + 1]):
                child += 1
            if rank <= self.rank(items[child]):
                break
            items[at] = items[child]
            at = child
        items[at] = item
