"""Timers of a bucket's keys, in slices of time: only due slices are read.

A micro-batch appends its registrations and deletions to their slice as a segment, and merges smaller segments into it.
So a micro-batch writes little more than its own changes, however many timers a slice has, and segments stay few.
"""

from __future__ import annotations

import heapq
import pickle
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple, final

from kafkastream.operators.state.state_backend import KeyedStateBackend
from kafkastream.operators.state.state_pickles import loads

__all__ = ["Timer", "TimerQueue"]

_SLICE_MS: Final = 60_000
_MOST_MERGED_CHANGES: Final = 10_000
"""Segments with more changes are not merged again."""


class Timer(NamedTuple):
    """Timer: time in ms, key, and namespace (a window, or empty)."""

    timestamp: int
    key: bytes
    namespace: tuple[Any, ...] = ()


class _Slice(NamedTuple):
    """Slice of time: a lower bound for its earliest timer, and the number of changes in each segment."""

    first: int
    segments: tuple[int, ...]


@final
class TimerQueue:
    """Timers of one time domain during one micro-batch; ``flush`` writes the changes.

    Args:
        backend: Storage of the timers.
        name: Prefix of the keys in ``backend``, exclusive to this queue.
    """

    def __init__(self, backend: KeyedStateBackend, name: bytes) -> None:
        self._backend = backend
        self._name = name
        stored = backend.get(name)
        slices = {} if stored is None else loads(stored)
        self._slices = {number: _Slice(*slice_) for number, slice_ in slices.items()}
        self._changes: dict[Timer, bool] = {}
        self._loaded: dict[int, set[Timer]] = {}
        self._due: list[Timer] = []
        self._up_to: int | None = None
        self._is_changed = False

    def register(self, timer: Timer) -> None:
        """Register a timer; registering an equal one again has no effect."""
        self._is_changed = True
        waiting = self._loaded.get(timer.timestamp // _SLICE_MS)
        if waiting is None:
            self._changes[timer] = True
        elif timer not in waiting:
            waiting.add(timer)
        if self._up_to is not None and timer.timestamp <= self._up_to:
            heapq.heappush(self._due, timer)

    def delete(self, timer: Timer) -> None:
        """Delete a timer, if it is registered."""
        self._is_changed = True
        waiting = self._loaded.get(timer.timestamp // _SLICE_MS)
        if waiting is None:
            self._changes[timer] = False
        else:
            waiting.discard(timer)

    def fire(self, up_to: int, prepare: Callable[[Iterable[bytes]], None] = lambda _: None) -> Iterator[Timer]:
        """Yield, in order, the timers up to a time (ms), including those that are registered meanwhile.

        Args:
            up_to: Time in ms.
            prepare: Called with the keys of the due timers, before the first timer fires.
        """
        touched = {timer.timestamp // _SLICE_MS for timer in self._changes if timer.timestamp <= up_to}
        for number in touched.union(number for number, slice_ in self._slices.items() if slice_.first <= up_to):
            self._load_slice(number)
        self._up_to = up_to
        self._due = [timer for waiting in self._loaded.values() for timer in waiting if timer.timestamp <= up_to]
        heapq.heapify(self._due)
        prepare(timer.key for timer in self._due)
        while self._due:
            timer = heapq.heappop(self._due)
            if self._changes.pop(timer, False) or self._remove_waiting(timer):
                self._is_changed = True
                yield timer
        self._up_to = None

    def waiting(self) -> Iterator[Timer]:
        """Yield the stored timers, in order, and leave them stored."""
        timers: set[Timer] = set()
        for number, slice_ in self._slices.items():
            for segment in range(len(slice_.segments)):
                _apply_changes(self._read_segment(number, segment), timers)
        return iter(sorted(timers, key=lambda timer: timer[:2]))

    @property
    def next(self) -> int | None:
        """Return a lower bound for the time of the next timer, or None if there is none."""
        waiting = (timer.timestamp for timers in self._loaded.values() for timer in timers)
        new = (timer.timestamp for timer, is_registered in self._changes.items() if is_registered)
        unread = (slice_.first for number, slice_ in self._slices.items() if number not in self._loaded)
        return min([*waiting, *new, *unread], default=None)

    def flush(self) -> None:
        """Write changed slices."""
        if not self._is_changed:
            return
        for number, waiting in self._loaded.items():
            self._rewrite_slice(number, waiting)
        added: dict[int, dict[Timer, bool]] = defaultdict(dict)
        for timer, is_registered in self._changes.items():
            added[timer.timestamp // _SLICE_MS][timer] = is_registered
        for number, changes in added.items():
            self._append_segment(number, changes)
        # as plain tuples: a checkpoint that named a class of this package would break when it is renamed
        self._backend.put(
            self._name, pickle.dumps({number: tuple(slice_) for number, slice_ in self._slices.items()}, 5)
        )
        self._changes, self._loaded, self._is_changed = {}, {}, False

    def remove(self) -> None:
        """Remove all stored timers."""
        for number, slice_ in self._slices.items():
            for segment in range(len(slice_.segments)):
                self._backend.remove(self._segment_key(number, segment))
        if self._slices:
            self._backend.remove(self._name)

    def _remove_waiting(self, timer: Timer) -> bool:
        """Remove a timer; return whether it was waiting."""
        waiting = self._loaded.get(timer.timestamp // _SLICE_MS, ())
        if timer not in waiting:
            return False
        self._loaded[timer.timestamp // _SLICE_MS].remove(timer)
        return True

    def _load_slice(self, number: int) -> None:
        """Load a slice, with the changes of this micro-batch."""
        if number in self._loaded:
            return
        waiting: set[Timer] = set()
        for segment in range(len(self._slices[number].segments) if number in self._slices else 0):
            _apply_changes(self._read_segment(number, segment), waiting)
        own_changes = {
            timer: change for timer, change in self._changes.items() if timer.timestamp // _SLICE_MS == number
        }
        _apply_changes(own_changes, waiting)
        for timer in own_changes:
            del self._changes[timer]
        self._loaded[number] = waiting

    def _rewrite_slice(self, number: int, waiting: set[Timer]) -> None:
        former_segments = self._slices.pop(number, _Slice(0, ())).segments
        for segment in range(1 if waiting else 0, len(former_segments)):
            self._backend.remove(self._segment_key(number, segment))
        if waiting:
            self._backend.put(
                self._segment_key(number, 0), self._backend.dumps(dict.fromkeys(map(tuple, waiting), True))
            )
            self._slices[number] = _Slice(min(waiting).timestamp, (len(waiting),))

    def _append_segment(self, number: int, changes: dict[Timer, bool]) -> None:
        former = self._slices.get(number)
        firsts = [timer.timestamp for timer, is_registered in changes.items() if is_registered]
        if former is not None:
            firsts.append(former.first)
        if not firsts:
            return
        segments = [] if former is None else [*former.segments]
        merged_changes = {tuple(timer): is_registered for timer, is_registered in changes.items()}
        while segments and segments[-1] <= min(len(merged_changes), _MOST_MERGED_CHANGES):
            segments.pop()
            merged_changes = {**self._read_segment(number, len(segments)), **merged_changes}
        for obsolete in range(len(segments) + 1, 0 if former is None else len(former.segments)):
            self._backend.remove(self._segment_key(number, obsolete))
        self._backend.put(self._segment_key(number, len(segments)), self._backend.dumps(merged_changes))
        self._slices[number] = _Slice(min(firsts), (*segments, len(merged_changes)))

    def _read_segment(self, number: int, segment: int) -> dict[tuple[Any, ...], bool]:
        pickled = self._backend.get(self._segment_key(number, segment))
        assert pickled is not None
        changes: dict[tuple[Any, ...], bool] = loads(pickled)
        return changes

    def _segment_key(self, number: int, segment: int) -> bytes:
        return b"%s/%d/%d" % (self._name, number, segment)


def _apply_changes(changes: dict[Any, bool], waiting: set[Timer]) -> None:
    for timer, is_registered in changes.items():
        (waiting.add if is_registered else waiting.discard)(Timer(*timer))
