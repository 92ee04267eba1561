"""Priority queue in a list, with the order that Java's PriorityQueue gives to equal items.

Flink keeps partial matches in such a queue and iterates over its array, so the order of matches with the same first row
depends on it. https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/util/PriorityQueue.html
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
        rank: Returns the rank of an item; None ranks it last.

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
        index, rank = len(items) - 1, self.rank(item)
        while index > 0:
            parent = (index - 1) // 2
            if rank >= self.rank(items[parent]):
                break
            items[index] = items[parent]
            index = parent
        items[index] = item

    def poll(self, items: list[_T]) -> _T:
        """Remove and return the first item."""
        first, last = items[0], items.pop()
        if items:
            items[0] = last
            self._sink(items, 0)
        return first

    def remove(self, items: list[_T], is_removed: Callable[[_T], bool]) -> None:
        """Remove items that meet a condition."""
        remaining = [item for item in items if not is_removed(item)]
        if len(remaining) < len(items):
            items[:] = remaining
            for index in range(len(items) // 2 - 1, -1, -1):
                self._sink(items, index)

    def _sink(self, items: list[_T], index: int) -> None:
        item = items[index]
        rank, half = self.rank(item), len(items) // 2
        while index < half:
            child = 2 * index + 1
            if child + 1 < len(items) and self.rank(items[child]) > self.rank(items[child + 1]):
                child += 1
            if rank <= self.rank(items[child]):
                break
            items[index] = items[child]
            index = child
        items[index] = item
