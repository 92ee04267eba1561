"""Long lists in the entries of keys: all but their ends is stored apart, in segments, so that adding does not rewrite
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, Final, final

from kafkastream.model.common.mutable_values import any_may_change
from kafkastream.operators.state.state_backend import Entry, KeyedStateBackend
from kafkastream.operators.state.state_pickles import loads

__all__ = ["APART", "LONG_BYTES", "LongList", "LongLists"]

LONG_BYTES: Final = 16 * 1024
APART: Final = "_apart"
"""Name in an entry under which its long lists are found."""


@final
class LongList(Iterable[Any]):
    """List to which elements are only added, and whose beginning is stored apart.

    Args:
        number: Number of the list among those of its entry.
        segments: Number of stored segments; a segment is rewritten only if an element in it has changed.
        end: Elements after the last segment.
    """

    __slots__ = ("beginning", "end", "number", "read", "segments")

    def __init__(self, number: int, segments: int, end: list[Any]) -> None:
        self.number = number
        self.segments = segments
        self.end = end
        self.read: Callable[[LongList], list[list[Any]]] | None = None
        self.beginning: list[list[Any]] | None = None

    def append(self, value: Any) -> None:
        """Add an element."""
        self.end.append(value)

    def extend(self, values: Iterable[Any]) -> None:
        """Add several elements."""
        self.end.extend(values)

    def __iter__(self) -> Iterator[Any]:
        if self.beginning is None:
            assert self.read is not None
            self.beginning = self.read(self)
        return chain(*self.beginning, self.end)

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return LongList, (self.number, self.segments, self.end)


@final
class LongLists:
    """Long lists of one key.

    Args:
        backend: Storage of the segments.
        name: Prefix of the keys in ``backend``, exclusive to this list.
        grows: Whether the content of an entry's name is a list to which elements are added, or a map of such lists.
    """

    def __init__(self, backend: KeyedStateBackend, name: bytes, grows: Callable[[Any], bool]) -> None:
        self._backend = backend
        self._name = name
        self._grows = grows

    def bind(self, entry: Entry) -> None:
        """Let the long lists of an entry read their segments."""
        for one in entry[APART]:
            one.read = self._read

    def keep(self, entry: Entry) -> bool:
        """Store all but the ends of long lists apart, and remove lists that are gone; return whether the entry has any."""
        before: list[LongList] = entry.pop(APART, [])
        found: dict[int, LongList] = {}
        unused = max((one.number + 1 for one in before), default=0)
        for place, name in list(self._places(entry)):
            content = place[name]
            one = content if isinstance(content, LongList) else LongList(unused, 0, content)
            self._keep_changes(one)
            self._add_segment(one)
            if one.segments:
                place[name] = found[one.number] = one
                unused = max(unused, one.number + 1)
        for gone in before:
            for segment in range(0 if gone.number in found else gone.segments):
                self._backend.remove(self._place(gone, segment))
        if found:
            entry[APART] = list(found.values())
        return bool(found)

    def _places(self, entry: Entry) -> Iterator[tuple[dict[Any, Any], Any]]:
        """Yield the places of lists that may be long."""
        for name, content in entry.items():
            grows = self._grows(name)
            if grows and isinstance(content, dict):
                yield from ((content, one) for one, kept in content.items() if kept is not None)
            elif grows or isinstance(content, LongList):
                yield entry, name

    def _keep_changes(self, one: LongList) -> None:
        """Rewrite the segments in which elements were changed in place."""
        for number, elements in enumerate(one.beginning or ()):
            if any_may_change(elements):
                kept, place = self._backend.dumps(elements), self._place(one, number)
                if kept != self._backend.get(place):
                    self._backend.put(place, kept)

    def _add_segment(self, one: LongList) -> None:
        kept = self._backend.dumps(one.end)
        if len(kept) > LONG_BYTES:
            self._backend.put(self._place(one, one.segments), kept)
            one.segments += 1
            one.end = []

    def _read(self, one: LongList) -> list[list[Any]]:
        return [self._segment(one, number) for number in range(one.segments)]

    def _segment(self, one: LongList, number: int) -> list[Any]:
        kept = self._backend.get(self._place(one, number))
        assert kept is not None
        elements: list[Any] = loads(kept)
        return elements

    def _place(self, one: LongList, segment: int) -> bytes:
        return b"%s/%d/%d" % (self._name, one.number, segment)
