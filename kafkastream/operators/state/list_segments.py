"""Long lists in the entries of keys: all elements but the last ones are stored in segments outside of the entry, so that
an append does not rewrite the whole list.
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
"""Name in an entry of the list of its ``LongList`` objects."""


@final
class LongList(Iterable[Any]):
    """Append-only list whose beginning is stored in segments outside of the entry.

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
        """Give the long lists of an entry access to their segments."""
        for long_list in entry[APART]:
            long_list.read = self._read

    def store(self, entry: Entry) -> bool:
        """Store the segments of an entry's long lists, and remove lists that are gone; return whether the entry has long lists."""
        former: list[LongList] = entry.pop(APART, [])
        stored: dict[int, LongList] = {}
        unused = max((long_list.number + 1 for long_list in former), default=0)
        for container, name in list(self._growing_lists(entry)):
            content = container[name]
            long_list = content if isinstance(content, LongList) else LongList(unused, 0, content)
            self._rewrite_changed_segments(long_list)
            self._add_segment(long_list)
            if long_list.segments:
                container[name] = stored[long_list.number] = long_list
                unused = max(unused, long_list.number + 1)
        for former_list in former:
            for segment in range(0 if former_list.number in stored else former_list.segments):
                self._backend.remove(self._segment_key(former_list, segment))
        if stored:
            entry[APART] = list(stored.values())
        return bool(stored)

    def _growing_lists(self, entry: Entry) -> Iterator[tuple[dict[Any, Any], Any]]:
        """Yield the container and key of each list that may be long."""
        for name, content in entry.items():
            grows = self._grows(name)
            if grows and isinstance(content, dict):
                yield from ((content, key) for key, elements in content.items() if elements is not None)
            elif grows or isinstance(content, LongList):
                yield entry, name

    def _rewrite_changed_segments(self, long_list: LongList) -> None:
        """Rewrite the segments whose elements were changed in place."""
        for number, elements in enumerate(long_list.beginning or ()):
            if any_may_change(elements):
                pickled, segment_key = self._backend.dumps(elements), self._segment_key(long_list, number)
                if pickled != self._backend.get(segment_key):
                    self._backend.put(segment_key, pickled)

    def _add_segment(self, long_list: LongList) -> None:
        pickled = self._backend.dumps(long_list.end)
        if len(pickled) > LONG_BYTES:
            self._backend.put(self._segment_key(long_list, long_list.segments), pickled)
            long_list.segments += 1
            long_list.end = []

    def _read(self, long_list: LongList) -> list[list[Any]]:
        return [self._segment(long_list, number) for number in range(long_list.segments)]

    def _segment(self, long_list: LongList, number: int) -> list[Any]:
        pickled = self._backend.get(self._segment_key(long_list, number))
        assert pickled is not None
        elements: list[Any] = loads(pickled)
        return elements

    def _segment_key(self, long_list: LongList, segment: int) -> bytes:
        return b"%s/%d/%d" % (self._name, long_list.number, segment)
