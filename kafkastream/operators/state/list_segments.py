"""Long lists in the entries of keys: all but their ends is kept apart, so that adding to one does not write it anew."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, Final, final

from kafkastream.model.common.mutable_values import any_may_change
from kafkastream.operators.state.state_backend import Entry, KeyedStateBackend

__all__ = ["APART", "LONG_BYTES", "LongList", "LongLists"]

LONG_BYTES: Final = 16 * 1024
APART: Final = "_apart"
"""Where an entry names its long lists."""


@final
class LongList(Iterable[Any]):
    """A list to which elements are only added.

    Args:
        number: Which of the entry's it is.
        segments: In how many segments all but its end is kept; they are written again only where an element has changed.
        end: The elements after them.
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
    """The long lists of one key.

    Args:
        backend: Where they are kept.
        name: Whose they are; no other user of the backend has keys that begin so.
        grows: Whether what an entry has under a name is a list to which elements are added, or a map of such lists.
    """

    def __init__(self, backend: KeyedStateBackend, name: bytes, grows: Callable[[Any], bool]) -> None:
        self._backend = backend
        self._name = name
        self._grows = grows

    def bind(self, entry: Entry) -> None:
        """Let those of an entry be read."""
        for one in entry[APART]:
            one.read = self._read

    def keep(self, entry: Entry) -> bool:
        """Keep all but their ends apart, and forget those that are no more; whether the entry has any."""
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
        """Where lists are that may be long."""
        for name, content in entry.items():
            grows = self._grows(name)
            if grows and isinstance(content, dict):
                yield from ((content, one) for one, kept in content.items() if kept is not None)
            elif grows or isinstance(content, LongList):
                yield entry, name

    def _keep_changes(self, one: LongList) -> None:
        """Write the segments again in which elements were changed in place."""
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
        elements: list[Any] = pickle.loads(kept)
        return elements

    def _place(self, one: LongList, segment: int) -> bytes:
        return b"%s/%d/%d" % (self._name, one.number, segment)
