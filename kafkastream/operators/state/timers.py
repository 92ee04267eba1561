"""Timers of a bucket's keys, in slices of time: only due slices are read.

Registrations and deletions of a micro-batch are added to their slice as a segment, which takes in smaller ones before
it:
however many timers wait in a slice, a micro-batch writes little more than its own, and there are few segments.
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
_MOST_MERGED: Final = 10_000
"""No segment is written again that holds more."""


class Timer(NamedTuple):
    """Timer: its time in ms, its key, and its namespace (a window, or none)."""

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
        found = backend.get(name)
        kept = {} if found is None else loads(found)
        self._slices = {number: _Slice(*one) for number, one in kept.items()}
        self._changes: dict[Timer, bool] = {}
        self._read: dict[int, set[Timer]] = {}
        self._due: list[Timer] = []
        self._up_to: int | None = None
        self._is_changed = False

    def register(self, timer: Timer) -> None:
        """Register a timer; registering an equal one again has no effect."""
        self._is_changed = True
        waiting = self._read.get(timer.timestamp // _SLICE_MS)
        if waiting is None:
            self._changes[timer] = True
        elif timer not in waiting:
            waiting.add(timer)
        if self._up_to is not None and timer.timestamp <= self._up_to:
            heapq.heappush(self._due, timer)

    def delete(self, timer: Timer) -> None:
        """Delete a timer, if it is registered."""
        self._is_changed = True
        waiting = self._read.get(timer.timestamp // _SLICE_MS)
        if waiting is None:
            self._changes[timer] = False
        else:
            waiting.discard(timer)

    def fire(self, up_to: int, prepare: Callable[[Iterable[bytes]], None] = lambda _: None) -> Iterator[Timer]:
        """Yield, in order, the timers up to a time (ms), including those that are registered meanwhile.

        Args:
            up_to: Time in ms.
            prepare: Called with the keys of the timers before the first one.
        """
        touched = {timer.timestamp // _SLICE_MS for timer in self._changes if timer.timestamp <= up_to}
        for number in touched.union(number for number, one in self._slices.items() if one.first <= up_to):
            self._load(number)
        self._up_to = up_to
        self._due = [timer for waiting in self._read.values() for timer in waiting if timer.timestamp <= up_to]
        heapq.heapify(self._due)
        prepare(timer.key for timer in self._due)
        while self._due:
            timer = heapq.heappop(self._due)
            if self._changes.pop(timer, False) or self._taken(timer):
                self._is_changed = True
                yield timer
        self._up_to = None

    def waiting(self) -> Iterator[Timer]:
        """Yield the stored timers, in order, and leave them stored."""
        timers: set[Timer] = set()
        for number, stored in self._slices.items():
            for segment in range(len(stored.segments)):
                _apply(self._segment(number, segment), timers)
        return iter(sorted(timers, key=lambda timer: timer[:2]))

    @property
    def next(self) -> int | None:
        """Return a lower bound for the time of the next timer, or None if there is none."""
        waiting = (timer.timestamp for timers in self._read.values() for timer in timers)
        new = (timer.timestamp for timer, is_registered in self._changes.items() if is_registered)
        kept = (one.first for number, one in self._slices.items() if number not in self._read)
        return min([*waiting, *new, *kept], default=None)

    def flush(self) -> None:
        """Write changed slices."""
        if not self._is_changed:
            return
        for number, waiting in self._read.items():
            self._write_anew(number, waiting)
        added: dict[int, dict[Timer, bool]] = defaultdict(dict)
        for timer, is_registered in self._changes.items():
            added[timer.timestamp // _SLICE_MS][timer] = is_registered
        for number, changes in added.items():
            self._add(number, changes)
        # As plain tuples: a checkpoint names no class of this package, which could be renamed.
        self._backend.put(self._name, pickle.dumps({number: tuple(one) for number, one in self._slices.items()}, 5))
        self._changes, self._read, self._is_changed = {}, {}, False

    def remove(self) -> None:
        """Remove all stored timers."""
        for number, one in self._slices.items():
            for segment in range(len(one.segments)):
                self._backend.remove(self._place(number, segment))
        if self._slices:
            self._backend.remove(self._name)

    def _taken(self, timer: Timer) -> bool:
        """Remove a timer; return whether it was waiting."""
        waiting = self._read.get(timer.timestamp // _SLICE_MS, ())
        if timer not in waiting:
            return False
        self._read[timer.timestamp // _SLICE_MS].remove(timer)
        return True

    def _load(self, number: int) -> None:
        """Load a slice, with the changes of this micro-batch."""
        if number in self._read:
            return
        waiting: set[Timer] = set()
        for segment in range(len(self._slices[number].segments) if number in self._slices else 0):
            _apply(self._segment(number, segment), waiting)
        mine = {timer: change for timer, change in self._changes.items() if timer.timestamp // _SLICE_MS == number}
        _apply(mine, waiting)
        for timer in mine:
            del self._changes[timer]
        self._read[number] = waiting

    def _write_anew(self, number: int, waiting: set[Timer]) -> None:
        before = self._slices.pop(number, _Slice(0, ())).segments
        for segment in range(1 if waiting else 0, len(before)):
            self._backend.remove(self._place(number, segment))
        if waiting:
            self._backend.put(self._place(number, 0), self._backend.dumps(dict.fromkeys(map(tuple, waiting), True)))
            self._slices[number] = _Slice(min(waiting).timestamp, (len(waiting),))

    def _add(self, number: int, changes: dict[Timer, bool]) -> None:
        before = self._slices.get(number)
        firsts = [timer.timestamp for timer, is_registered in changes.items() if is_registered]
        if before is not None:
            firsts.append(before.first)
        if not firsts:
            return
        segments = [] if before is None else [*before.segments]
        kept = {tuple(timer): is_registered for timer, is_registered in changes.items()}
        while segments and segments[-1] <= min(len(kept), _MOST_MERGED):
            segments.pop()
            kept = {**self._segment(number, len(segments)), **kept}
        for merged in range(len(segments) + 1, 0 if before is None else len(before.segments)):
            self._backend.remove(self._place(number, merged))
        self._backend.put(self._place(number, len(segments)), self._backend.dumps(kept))
        self._slices[number] = _Slice(min(firsts), (*segments, len(kept)))

    def _segment(self, number: int, segment: int) -> dict[tuple[Any, ...], bool]:
        kept = self._backend.get(self._place(number, segment))
        assert kept is not None
        changes: dict[tuple[Any, ...], bool] = loads(kept)
        return changes

    def _place(self, number: int, segment: int) -> bytes:
        return b"%s/%d/%d" % (self._name, number, segment)


def _apply(changes: dict[Any, bool], waiting: set[Timer]) -> None:
    for timer, is_registered in changes.items():
        (waiting.add if is_registered else waiting.discard)(Timer(*timer))
