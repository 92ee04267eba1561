"""Keyed context: current key, its state and timers, and the watermark, as an operator's functions use them."""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable
from typing import Any, final

from kafkastream.errors import DefinitionError
from kafkastream.model.common.coercion import MistypedError, coercion_of
from kafkastream.model.common.time import as_timestamp, wall_clock_ms
from kafkastream.model.common.watermark_strategy import MIN_WATERMARK
from kafkastream.model.functions.process_functions import TimeDomain
from kafkastream.model.functions.state_descriptors import ListStateDescriptor, StateDescriptor
from kafkastream.model.functions.state_ttl import Life
from kafkastream.operators.state.list_segments import APART, LongList
from kafkastream.operators.state.state_backend import Entry, KeyedStateBackend
from kafkastream.operators.state.state_pages import StatePages
from kafkastream.operators.state.state_pickles import loads
from kafkastream.operators.state.timers import Timer, TimerQueue

__all__ = ["KeyedContext", "forget", "timer_queue"]

Namespace = tuple[Any, ...]
_BROADCAST_KEY = b""  # no encoded key is empty
_TIMER = "the time of a timer"


@final
class KeyedContext:
    """Keyed state, timers and watermark of one subtask of an operator; kept across micro-batches, each of which loads its
    state.

    Attributes:
        watermark: Watermark of the operator, in ms.
        namespace: Window of the state and timers; empty for none.
        encoded_key: Current key, as bytes.
        entry: State of the current key.
        lists: Names of entries that hold lists to which elements are added.

    Args:
        clock: Returns the time in ms.
        own: Names of entries that the operator uses for content of its own.
    """

    def __init__(self, clock: Callable[[], int] = wall_clock_ms, own: Collection[str] = ()) -> None:
        self.watermark = MIN_WATERMARK
        self.namespace: Namespace = ()
        self.entry: Entry = {}
        self.lists: set[Any] = set()
        self.clock = clock
        self._own = frozenset((*own, APART))
        self.encoded_key = b""
        self._decoded: tuple[bytes, Any] = (b"", None)
        self._stored_watermark = MIN_WATERMARK
        self._pages: StatePages | None = None
        self._event: TimerQueue | None = None
        self._processing: TimerQueue | None = None
        self._descriptors: dict[str, StateDescriptor] = {}
        self._kinds: dict[str, str] = {}
        self._cleaned_states: dict[Any, Life] = {}

    def begin(self, backend: KeyedStateBackend, name: bytes) -> None:
        """Begin a micro-batch on the state in ``backend`` below ``name``."""
        self._pages = StatePages(backend, name + b"k", self._is_growing_list)
        self._event = timer_queue(backend, name, TimeDomain.EVENT_TIME)
        self._processing = timer_queue(backend, name, TimeDomain.PROCESSING_TIME)
        self._backend, self._name = backend, name
        kinds = backend.get(name + b"s")
        self._kinds = {} if kinds is None else loads(kinds)
        for state, descriptor in self._descriptors.items():
            self._check_unchanged(state, descriptor)
        stored = backend.get(name + b"w")
        self.watermark = self._stored_watermark = MIN_WATERMARK if stored is None else int(stored)
        self.encoded_key = b""

    def end(self) -> None:
        """Write the changes of the micro-batch, and clean up some expired state."""
        if self._cleaned_states:
            self.pages.sweep(self._remove_expired, self.clock())
        self.pages.flush()
        for queue in (self.event_timers, self.processing_timers):
            queue.flush()
        if self.watermark != self._stored_watermark:
            self._backend.put(self._name + b"w", str(self.watermark).encode())
        kinds = {**self._kinds, **{state: _state_kind(descriptor) for state, descriptor in self._descriptors.items()}}
        if kinds != self._kinds:
            self._backend.put(self._name + b"s", pickle.dumps(kinds))
        self._pages = self._event = self._processing = None
        self.encoded_key, self.entry = b"", {}

    def load(self, keys: Iterable[bytes]) -> None:
        """Read the state of keys in one batch, before they are selected."""
        self.pages.load(keys)

    def select(self, key: bytes) -> None:
        """Make ``key`` the current key."""
        self.encoded_key = key
        self.entry = self.pages.of(key)

    def select_stored(self, key: bytes) -> None:
        """Make a key from the checkpoint the current key; decode it without running code from the checkpoint."""
        self.select(key)
        self._decoded = (key, loads(key) if key else None)

    def changed(self) -> None:
        """Mark the current key's entry to be written."""
        self.pages.changed(self.encoded_key)

    @property
    def key(self) -> Any:
        """Current key; None if there is none."""
        if not self.encoded_key:
            return None
        if self._decoded[0] is not self.encoded_key:
            self._decoded = (self.encoded_key, pickle.loads(self.encoded_key))
        return self._decoded[1]

    @property
    def pages(self) -> StatePages:
        """Entries of all keys."""
        assert self._pages is not None
        return self._pages

    @property
    def event_timers(self) -> TimerQueue:
        """Event-time timers."""
        assert self._event is not None
        return self._event

    @property
    def processing_timers(self) -> TimerQueue:
        """Processing-time timers."""
        assert self._processing is not None
        return self._processing

    def register(self, domain: TimeDomain, timestamp: int) -> None:
        """Register a timer of the current key and namespace."""
        self._timers(domain).register(Timer(as_timestamp(_TIMER, timestamp), self.encoded_key, self.namespace))

    def delete(self, domain: TimeDomain, timestamp: int) -> None:
        """Delete a timer of the current key and namespace."""
        self._timers(domain).delete(Timer(as_timestamp(_TIMER, timestamp), self.encoded_key, self.namespace))

    def cell(self, descriptor: StateDescriptor) -> KeyCell:
        """Return the storage of a state, for each key.

        Raises:
            DefinitionError: The name is taken by a state of another kind or type.
        """
        self._register_state(f"state {descriptor.name!r}", descriptor)
        return KeyCell(self, self._name_in_entry(descriptor), self._life_of(descriptor), _state_check(descriptor))

    def window_cell(self, descriptor: StateDescriptor) -> WindowCell:
        """Return the storage of a state, for each key and namespace; raises as ``cell`` does."""
        self._register_state(f"state {descriptor.name!r}", descriptor)
        return WindowCell(self, self._name_in_entry(descriptor), self._life_of(descriptor), _state_check(descriptor))

    def broadcast_cell(self, descriptor: StateDescriptor) -> BroadcastCell:
        """Return the storage of a broadcast state, independent of the key; raises as ``cell`` does."""
        self._register_state(f"broadcast state {descriptor.name!r}", descriptor)
        return BroadcastCell(self, self._name_in_entry(descriptor), check=_state_check(descriptor))

    def descriptor(self, name: str) -> StateDescriptor | None:
        """Return the descriptor of a state that a function has declared; None if none has."""
        return self._descriptors.get(f"state {name!r}")

    def has_state(self, name: str) -> bool:
        """Return whether a function has declared a state, now or in an earlier run."""
        return f"state {name!r}" in self._descriptors.keys() | self._kinds.keys()

    @property
    def state_names(self) -> list[str]:
        """Names of the keyed states that functions have declared."""
        return sorted(descriptor.name for state, descriptor in self._descriptors.items() if state.startswith("state "))

    def own_cell(self, name: str) -> KeyCell:
        """Return the storage of an operator's own content for each key, under one of the names in ``own``."""
        return KeyCell(self, name)

    def _name_in_entry(self, descriptor: StateDescriptor) -> str | bytes:
        """Return the name of a user's state in an entry; as bytes if the operator uses that name itself."""
        name = descriptor.name.encode() if descriptor.name in self._own else descriptor.name
        if isinstance(descriptor, ListStateDescriptor):
            self.lists.add(name)
        return name

    def _is_growing_list(self, name: Any) -> bool:
        return name in self.lists or (isinstance(name, tuple) and name[0] in self.lists)

    def _timers(self, domain: TimeDomain) -> TimerQueue:
        return self.event_timers if domain is TimeDomain.EVENT_TIME else self.processing_timers

    def _register_state(self, state: str, descriptor: StateDescriptor) -> None:
        """Register a state, and check that its kind and type are those of other declarations and of earlier runs."""
        declared = self._descriptors.get(state)
        if declared is None:
            self._check_unchanged(state, descriptor)
            self._descriptors[state] = descriptor
        elif declared is not descriptor and _state_kind(declared) != _state_kind(descriptor):
            raise DefinitionError(
                f"{state} is declared twice in this operator: as {_state_kind(declared)}, and as {_state_kind(descriptor)}",
                now="Give each state a name of its own.",
            )

    def _check_unchanged(self, state: str, descriptor: StateDescriptor) -> None:
        former, current = self._kinds.get(state), _state_kind(descriptor)
        if former is not None and former != current:
            raise DefinitionError(
                f"{state} was {former} in an earlier run, and is now {current}",
                now="Give the state its old type, or another name; or give the operator another uid, or the job another "
                "name, to begin without state.",
            )

    def _life_of(self, descriptor: StateDescriptor) -> Life | None:
        if descriptor.ttl is None or not descriptor.ttl.is_enabled():
            return None
        life = Life(descriptor.ttl, self.clock)
        if descriptor.ttl.cleans_in_background:
            self._cleaned_states[self._name_in_entry(descriptor)] = life
        return life

    def _remove_expired(self, entry: Entry) -> bool:
        """Remove expired content from a key's entry; return whether the entry changed."""
        is_changed = False
        for name, content in list(entry.items()):
            life = self._cleaned_states.get(name[0] if isinstance(name, tuple) else name)
            unexpired = content if life is None else _without_expired(content, life)
            if unexpired is content:
                continue
            is_changed = True
            if unexpired is None:
                del entry[name]
            else:
                entry[name] = unexpired
        return is_changed


def _without_expired(content: Any, life: Life) -> Any:
    """Return content without expired parts, or None; a long list expires as a whole, with its last element."""
    if isinstance(content, LongList):
        return None if content.end and life.left_of(content.end) is None else content
    return life.left_of(content)


def timer_queue(backend: KeyedStateBackend, name: bytes, domain: TimeDomain) -> TimerQueue:
    """Return the timers of a time domain that are stored below ``name``."""
    return TimerQueue(backend, name + (b"e" if domain is TimeDomain.EVENT_TIME else b"p"))


def forget(backend: KeyedStateBackend, name: bytes) -> None:
    """Remove all state and timers below ``name``."""
    StatePages(backend, name + b"k").remove()
    for domain in TimeDomain:
        timer_queue(backend, name, domain).remove()
    for key in (name + b"s", name + b"w"):
        backend.remove(key)


def _state_kind(descriptor: StateDescriptor) -> str:
    """Describe the kind, type and time to live of a state; they must not change between runs."""
    lives = " with a time to live" if descriptor.ttl is not None and descriptor.ttl.is_enabled() else ""
    return f"a {type(descriptor).__name__} of {descriptor.type_info}{lives}"


def _state_check(descriptor: StateDescriptor) -> Callable[[Any], object] | None:
    """Return a function that raises for values of another type; None if any value is accepted.

    Values themselves are kept unchanged, as in PyFlink while the state is in its cache; a value that Flink's serializer
    would refuse fails the job there, too, at the end of the bundle.

    Example:
        >>> from kafkastream.model.functions.state_descriptors import ValueStateDescriptor
        >>> from kafkastream.model.common.types import Types
        >>> _state_check(ValueStateDescriptor("count", Types.LONG()))("one")
        Traceback (most recent call last):
        ...
        TypeError: state 'count' is declared as Long: 'one' (a str) is not of type Long
    """
    coercion = coercion_of(descriptor.type_info)
    if coercion is None:
        return None
    coerce, name, type_info = coercion.all, descriptor.name, descriptor.type_info

    def check(value: Any) -> None:
        try:
            coerce((value,))
        except MistypedError as error:
            raise TypeError(f"state {name!r} is declared as {type_info!r}: {error}") from None

    return check


class _Cell(ABC):
    """Storage of a state (``kafkastream.model.functions.keyed_state.Cell``); subclasses define its location."""

    __slots__ = ("_keyed_context", "_name", "check", "life")

    def __init__(
        self,
        keyed_context: KeyedContext,
        name: str | bytes,
        life: Life | None = None,
        check: Callable[[Any], object] | None = None,
    ) -> None:
        self._keyed_context = keyed_context
        self._name = name
        self.life = life
        self.check = check

    @abstractmethod
    def _location(self) -> tuple[bytes, Entry, Any]:
        """Return the key, its entry, and the name in that entry."""

    def get(self) -> Any:
        """Return the content, or None if there is none."""
        _, entry, name = self._location()
        return entry.get(name)

    def seen(self) -> None:
        """Mark the content to be written: user code has a reference to it, and may change it in place."""
        self._keyed_context.pages.changed(self._location()[0])

    def set(self, content: Any) -> None:
        """Replace the content; None removes it."""
        key, entry, name = self._location()
        if content is None:
            entry.pop(name, None)
        else:
            entry[name] = content
        self._keyed_context.pages.changed(key)


class KeyCell(_Cell):
    """Storage of a state of the current key."""

    __slots__ = ()

    def _location(self) -> tuple[bytes, Entry, Any]:
        key = self._keyed_context.encoded_key
        if not key:
            raise DefinitionError(
                f"state {self._name!r} needs a current key, and there is none",
                now="Use keyed state for the elements of keyed streams and in on_timer, not in open or close, nor for "
                "broadcast elements.",
            )
        return key, self._keyed_context.entry, self._name


@final
class WindowCell(KeyCell):
    """Storage of a state of the current key and window."""

    __slots__ = ()

    def _location(self) -> tuple[bytes, Entry, Any]:
        key, entry, name = super()._location()
        return key, entry, (name, self._keyed_context.namespace)


@final
class BroadcastCell(_Cell):
    """Storage of a state that is independent of the key."""

    __slots__ = ()

    def _location(self) -> tuple[bytes, Entry, Any]:
        return _BROADCAST_KEY, self._keyed_context.pages.of(_BROADCAST_KEY), self._name
