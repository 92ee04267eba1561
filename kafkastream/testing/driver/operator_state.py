"""Keyed state of an operator in a driven job, between two micro-batches."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar, final, overload

from kafkastream.errors import DefinitionError
from kafkastream.model.common.coercion import coercion_of
from kafkastream.model.functions.process_functions import TimeDomain
from kafkastream.model.functions.state_descriptors import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateDescriptor,
    ValueStateDescriptor,
)
from kafkastream.model.functions.state_store import CellStore
from kafkastream.model.graph.job_graph import KeyedNode
from kafkastream.operators.state.key_encoding import bucket_of, encoded_key
from kafkastream.operators.state.keyed_context import KeyedContext, timer_queue
from kafkastream.operators.state.state_pages import StatePages
from kafkastream.spark.exchange.keyed_task import state_name
from kafkastream.testing.driver.part_run import PartRun

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
        namespace: Start and end of the window that it belongs to, in ms; empty if the function registered it.
    """

    key: Any
    timestamp: int
    domain: TimeDomain
    namespace: tuple[Any, ...] = ()


@final
class OperatorState:
    """Keyed state and timers of an operator: read and set by the state's descriptor, or its name, and the key."""

    def __init__(self, part: PartRun, node: KeyedNode) -> None:
        self._part = part
        self._node = node
        self._key_coercion = coercion_of(next(keyed.key_type for keyed in node.keyed if keyed.selector is not None))

    @overload
    def get(self, state: ValueStateDescriptor[T] | ReducingStateDescriptor[T], key: object) -> T | None: ...
    @overload
    def get(self, state: ListStateDescriptor[T], key: object) -> list[T]: ...
    @overload
    def get(self, state: MapStateDescriptor[K, V], key: object) -> dict[K, V]: ...
    @overload
    def get(self, state: AggregatingStateDescriptor[Any, Any, T], key: object) -> T | None: ...
    @overload
    def get(self, state: str, key: object) -> Any: ...
    def get(self, state: StateDescriptor | str, key: object) -> Any:
        """Return the state of a key: None, an empty list or an empty dict if there is none.

        Args:
            state: Descriptor of the state, or its name.
            key: The key.

        Raises:
            DefinitionError: The operator has no such state.
        """
        with self._selected(key) as context:
            match self._descriptor(context, state):
                case ValueStateDescriptor() as descriptor:
                    return CellStore(context.cell).get_state(descriptor).value()
                case ListStateDescriptor() as descriptor:
                    return list(CellStore(context.cell).get_list_state(descriptor).get())
                case MapStateDescriptor() as descriptor:
                    return dict(CellStore(context.cell).get_map_state(descriptor).items())
                case ReducingStateDescriptor() as descriptor:
                    return CellStore(context.cell).get_reducing_state(descriptor).get()
                case AggregatingStateDescriptor() as descriptor:
                    return CellStore(context.cell).get_aggregating_state(descriptor).get()
                case unknown:
                    raise TypeError(f"{unknown!r} is no descriptor of keyed state")

    def set(self, state: StateDescriptor | str, key: object, value: Any) -> None:
        """Set the state of a key; None, an empty list or an empty dict removes it.

        Args:
            state: Descriptor of the state, or its name.
            key: The key.
            value: Value; a list for a list state, a dict for a map state.

        Raises:
            DefinitionError: The operator has no such state, or it is an aggregating one, which elements fill.
            TypeError: The value is not of the type that the state was declared with.
        """
        with self._selected(key) as context:
            store = CellStore(context.cell)
            match self._descriptor(context, state):
                case ValueStateDescriptor() as descriptor:
                    store.get_state(descriptor).update(value)
                case ListStateDescriptor() as descriptor:
                    store.get_list_state(descriptor).update(value or [])
                case MapStateDescriptor() as descriptor:
                    entries = store.get_map_state(descriptor)
                    entries.clear()
                    entries.put_all((value or {}).items())
                case ReducingStateDescriptor() as descriptor:
                    reduced = store.get_reducing_state(descriptor)
                    reduced.clear()
                    if value is not None:
                        reduced.add(value)
                case descriptor:
                    raise DefinitionError(
                        f"state {descriptor.name!r} holds an accumulator, which only elements fill",
                        where=f"operator {self._node.name!r}",
                        now="Send elements instead.",
                    )

    def keys(self) -> list[Any]:
        """Return the keys that have state, in no particular order."""
        names = (StatePages(state, self._name + b"k").keys() for state in self._part.states)
        return [pickle.loads(key) for keys in names for key in keys if key]

    def timers(self) -> list[WaitingTimer]:
        """Return the timers that have not fired, in the order of their times."""
        timers = [
            WaitingTimer(pickle.loads(timer.key), timer.timestamp, domain, timer.namespace)
            for state in self._part.states
            for domain in TimeDomain
            for timer in timer_queue(state, self._name, domain).waiting()
        ]
        return sorted(timers, key=lambda timer: timer.timestamp)

    @property
    def watermark(self) -> int:
        """Watermark of the operator, in ms; -2**63 before the first."""
        return self._part.time.watermarks()[self._part.identities[self._node.id]]

    @property
    def _name(self) -> bytes:
        return state_name(self._part.identities[self._node.id])

    @contextmanager
    def _selected(self, key: object) -> Iterator[KeyedContext]:
        """Begin a micro-batch without elements, with a current key."""
        typed = key if self._key_coercion is None else self._key_coercion.all((key,))[0]
        encoded = encoded_key(typed)
        subtask = bucket_of(encoded, len(self._part.states))
        context = self._part.keyed_task(self._node, subtask).operator.keyed_context
        context.begin(self._part.states[subtask], self._name)
        try:
            context.select(encoded)
            yield context
        finally:
            context.end()

    def _descriptor(self, context: KeyedContext, state: StateDescriptor | str) -> StateDescriptor:
        if isinstance(state, StateDescriptor):
            return state
        descriptor = context.descriptor(state)
        if descriptor is None:
            raise DefinitionError(
                f"no state {state!r} was declared in open",
                where=f"operator {self._node.name!r}",
                now=f"There are: {', '.join(map(repr, context.state_names)) or 'none'}.",
            )
        return descriptor
