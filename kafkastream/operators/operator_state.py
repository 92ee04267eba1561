"""State of one keyed operator in all of its subtasks, between two micro-batches: keyed and broadcast state, windows, timers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple, TypeVar, final, overload

from kafkastream.errors import DefinitionError
from kafkastream.model.common.coercion import coercion_of
from kafkastream.model.functions.map_state import BroadcastState
from kafkastream.model.functions.process_functions import TimeDomain
from kafkastream.model.functions.state_descriptors import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateDescriptor,
    ValueStateDescriptor,
)
from kafkastream.model.functions.state_store import CellStore, KeyedStateStore
from kafkastream.model.graph.job_graph import KeyedNode
from kafkastream.model.windows.windows import Window
from kafkastream.operators.state.key_encoding import bucket_of, encoded_key
from kafkastream.operators.state.keyed_context import KeyedContext, timer_queue
from kafkastream.operators.state.state_backend import KeyedStateBackend
from kafkastream.operators.state.state_pages import StatePages
from kafkastream.operators.state.state_pickles import loads
from kafkastream.operators.state.timers import Timer
from kafkastream.operators.stream.keyed_operators import KeyedOperator
from kafkastream.operators.stream.window_operator import WindowOperator

__all__ = ["OperatorState", "WaitingTimer"]

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


class WaitingTimer(NamedTuple):
    """Timer that has not fired.

    Attributes:
        key: Key that it belongs to.
        timestamp: Its time in ms.
        domain: Event time or processing time.
        window: Window that it belongs to; None for one of no window.
    """

    key: Any
    timestamp: int
    domain: TimeDomain
    window: Window | None = None


@final
class OperatorState:
    """State of an operator: keyed state by its descriptor (or name) and key, broadcast state, windows, and timers.

    It is the same whether the state is a driven job's or comes from elsewhere: an operator whose functions are open, and the
    bytes of its subtasks, are all that it needs.

    Args:
        node: Definition of the operator.
        operator_of: Returns the open operator of a subtask.
        backends: State of each subtask.
        name: Prefix of the operator's state in the backends.
        environment: Returns the context in which state is read and written: the time by which it expires, and the program's
            classes.
    """

    def __init__(
        self,
        node: KeyedNode,
        operator_of: Callable[[int], KeyedOperator],
        backends: Sequence[KeyedStateBackend],
        name: bytes,
        environment: Callable[[], AbstractContextManager[object]],
    ) -> None:
        self._node = node
        self._operator_of = operator_of
        self._backends = backends
        self._name = name
        self._environment = environment
        self._key_coercion = next(
            (coercion_of(keyed.key_type) for keyed in node.keyed if keyed.selector is not None), None
        )

    @overload
    def get(
        self, state: ValueStateDescriptor[T] | ReducingStateDescriptor[T], key: object, window: Window | None = None
    ) -> T | None: ...
    @overload
    def get(self, state: ListStateDescriptor[T], key: object, window: Window | None = None) -> list[T]: ...
    @overload
    def get(self, state: MapStateDescriptor[K, V], key: object, window: Window | None = None) -> dict[K, V]: ...
    @overload
    def get(
        self, state: AggregatingStateDescriptor[Any, Any, T], key: object, window: Window | None = None
    ) -> T | None: ...
    @overload
    def get(self, state: str, key: object, window: Window | None = None) -> Any: ...
    def get(self, state: StateDescriptor | str, key: object, window: Window | None = None) -> Any:
        """Return the state of a key: None, an empty list or an empty dict if there is none.

        Args:
            state: Descriptor of the state, or its name.
            key: The key.
            window: Window that the state belongs to: for states of triggers and for ``window_state`` of window functions.

        Raises:
            DefinitionError: The operator has no such state.
        """
        with self._selected(key, window) as context:
            descriptor, store = self._descriptor(context, state), _store(context, window)
            match descriptor:
                case ValueStateDescriptor():
                    return store.get_state(descriptor).value()
                case ListStateDescriptor():
                    return list(store.get_list_state(descriptor).get())
                case MapStateDescriptor():
                    return dict(store.get_map_state(descriptor).items())
                case ReducingStateDescriptor():
                    return store.get_reducing_state(descriptor).get()
                case AggregatingStateDescriptor():
                    return store.get_aggregating_state(descriptor).get()
                case _:
                    raise TypeError(f"{descriptor!r} is no descriptor of keyed state")

    def set(self, state: StateDescriptor | str, key: object, value: Any, window: Window | None = None) -> None:
        """Set the state of a key; None, an empty list or an empty dict removes it.

        Args:
            state: Descriptor of the state, or its name.
            key: The key.
            value: Value; a list for a list state, a dict for a map state.
            window: Window that the state belongs to: for states of triggers and for ``window_state`` of window functions.

        Raises:
            DefinitionError: The operator has no such state, or it is an aggregating one, to which values are added.
            TypeError: The value is not of the type that the state was declared with.
        """
        with self._selected(key, window) as context:
            descriptor, store = self._descriptor(context, state), _store(context, window)
            match descriptor:
                case ValueStateDescriptor():
                    store.get_state(descriptor).update(value)
                case ListStateDescriptor():
                    store.get_list_state(descriptor).update(value or [])
                case MapStateDescriptor():
                    _replace_entries(store.get_map_state(descriptor), value or {})
                case ReducingStateDescriptor():
                    reduced = store.get_reducing_state(descriptor)
                    reduced.clear()
                    if value is not None:
                        reduced.add(value)
                case AggregatingStateDescriptor() if value is None:
                    store.get_aggregating_state(descriptor).clear()
                case _:
                    raise DefinitionError(
                        f"state {descriptor.name!r} holds an accumulator, to which values are added",
                        where=self._where,
                        now="Add them in a with block: with state.edit(key) as store: "
                        "store.get_aggregating_state(descriptor).add(value)",
                    )

    @contextmanager
    def edit(self, key: object, window: Window | None = None) -> Iterator[KeyedStateStore]:
        """Let states of a key be read and changed in a ``with`` block, as a function does it.

        Args:
            key: The key.
            window: Window that the states belong to.

        Example:
            ``with state.edit("ann") as store: store.get_list_state(SEEN).add("an order")``
        """
        with self._selected(key, window) as context:
            yield _store(context, window)

    def broadcast(self, state: MapStateDescriptor[K, V]) -> dict[K, V]:
        """Return the entries of a broadcast state, as the first subtask has them.

        Args:
            state: Descriptor of the state.

        Raises:
            DefinitionError: The operator has no such state.
        """
        with self._begun(0) as context:
            return dict(self._broadcast_state(context, state).items())

    def set_broadcast(self, state: MapStateDescriptor[K, V], entries: Mapping[K, V]) -> None:
        """Replace the entries of a broadcast state in all subtasks.

        Args:
            state: Descriptor of the state.
            entries: New entries.

        Raises:
            DefinitionError: The operator has no such state.
            TypeError: A key or value is not of the type that the state was declared with.
        """
        for subtask in range(len(self._backends)):
            with self._begun(subtask) as context:
                _replace_entries(self._broadcast_state(context, state), entries)

    def windows(self, key: object) -> dict[Window, Any]:
        """Return the content of a key's windows: the list of their elements, or what ``reduce`` or ``aggregate`` gives so far.

        Args:
            key: The key; any for windows of a stream without keys (``window_all``).

        Raises:
            DefinitionError: The operator has no windows.
        """
        with self._selected(key) as context:
            operator = self._operator_of(bucket_of(context.encoded_key, len(self._backends)))
            if not isinstance(operator, WindowOperator):
                raise DefinitionError("the operator has no windows", where=self._where)
            return operator.contents()

    def keys(self) -> list[Any]:
        """Return the keys that have state, in no particular order."""
        keys = (StatePages(backend, self._name + b"k").keys() for backend in self._backends)
        with self._environment():
            return [loads(key) for keys_of_subtask in keys for key in keys_of_subtask if key]

    def timers(self) -> list[WaitingTimer]:
        """Return the timers that have not fired, in the order of their times."""
        with self._environment():
            timers = [
                WaitingTimer(loads(timer.key), timer.timestamp, domain, _window_of(timer))
                for backend in self._backends
                for domain in TimeDomain
                for timer in timer_queue(backend, self._name, domain).waiting()
            ]
        return sorted(timers, key=lambda timer: timer.timestamp)

    @property
    def watermark(self) -> int:
        """Watermark up to which event-time timers have fired, in ms; -2**63 before the first."""
        with self._begun(0) as context:
            return context.watermark

    @property
    def _where(self) -> str:
        return f"operator {self._node.name!r}"

    @contextmanager
    def _begun(self, subtask: int) -> Iterator[KeyedContext]:
        """Begin a micro-batch without elements in a subtask."""
        context = self._operator_of(subtask).keyed_context
        with self._environment():
            context.begin(self._backends[subtask], self._name)
            try:
                yield context
            finally:
                context.namespace = ()
                context.end()

    @contextmanager
    def _selected(self, key: object, window: Window | None = None) -> Iterator[KeyedContext]:
        """Begin a micro-batch without elements, with a current key and window."""
        typed = key if self._key_coercion is None else self._key_coercion.all((key,))[0]
        with self._environment():
            encoded = encoded_key(typed)
        with self._begun(bucket_of(encoded, len(self._backends))) as context:
            context.select(encoded)
            context.namespace = () if window is None else (window,)
            yield context

    def _descriptor(self, context: KeyedContext, state: StateDescriptor | str) -> StateDescriptor:
        """Return the descriptor of a keyed state that the operator has, by its descriptor or name."""
        name = state if isinstance(state, str) else state.name
        descriptor = context.descriptor(name) if isinstance(state, str) else state
        if descriptor is None or not context.has_state(name):
            raise DefinitionError(
                f"the operator has no state {name!r}; one that is not declared in open exists from its first use",
                where=self._where,
                now=f"There are: {', '.join(map(repr, context.state_names)) or 'none'}.",
            )
        return descriptor

    def _broadcast_state(self, context: KeyedContext, state: MapStateDescriptor[K, V]) -> BroadcastState[K, V]:
        names = [descriptor.name for descriptor in self._node.broadcast]
        if state.name not in names:
            raise DefinitionError(
                f"the operator has no broadcast state {state.name!r}",
                where=self._where,
                now=f"There are: {', '.join(map(repr, names)) or 'none'}.",
            )
        return BroadcastState(context.broadcast_cell(state))


def _window_of(timer: Timer) -> Window | None:
    """Return the window of a timer; the namespace of an operator without windows is something else, or empty."""
    return next((part for part in timer.namespace if isinstance(part, Window)), None)


def _store(context: KeyedContext, window: Window | None) -> CellStore:
    return CellStore(context.cell if window is None else context.window_cell)


def _replace_entries(state: Any, entries: Mapping[Any, Any]) -> None:
    state.clear()
    state.put_all(entries)
