"""State of a key: what functions on keyed streams remember between elements."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, Protocol, TypeVar, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.spec.functions import AggregateFunction, ReduceFunction, as_reduce_function
from kafkastream.spec.time import Duration, Time
from kafkastream.spec.types import TypeInformation, Types

__all__ = [
    "AggregatingState",
    "AggregatingStateDescriptor",
    "AppendingState",
    "BroadcastState",
    "Cell",
    "Cells",
    "KeyedStateStore",
    "Life",
    "ListState",
    "ListStateDescriptor",
    "MapState",
    "MapStateDescriptor",
    "MergingState",
    "ReadOnlyBroadcastState",
    "ReducingState",
    "ReducingStateDescriptor",
    "State",
    "StateDescriptor",
    "StateTtlConfig",
    "ValueState",
    "ValueStateDescriptor",
]

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")
IN = TypeVar("IN")
ACC = TypeVar("ACC")
OUT = TypeVar("OUT")


class Cell(Protocol):
    """Where a state's content is kept for the current key.

    Attributes:
        life: When it expires; None for never.
    """

    life: Life | None

    def get(self) -> Any:
        """The content; None when there is none. Who changes it in place says so by ``set``."""

    def set(self, content: Any) -> None:
        """Keep this content; None for no more."""


@final
@attrs.frozen
class Life:
    """How long content lives: kept as (value, when it was last used, in ms).

    Args:
        config: What the user has chosen.
        clock: The time in ms.
    """

    config: StateTtlConfig
    clock: Callable[[], int]

    def begun(self, value: Any) -> tuple[Any, int]:
        """What is kept of a value that is written now."""
        return value, self.clock()

    def read(self, kept: tuple[Any, int]) -> tuple[Any, tuple[Any, int] | None]:
        """What is seen of what was kept, None for nothing, and what is kept from now on, None for nothing."""
        value, used = kept
        now = self.clock()
        if used + self.config.ttl_ms > now:
            renews = self.config.update_type is StateTtlConfig.UpdateType.OnReadAndWrite
            return value, (value, now) if renews else kept
        shown = self.config.visibility is StateTtlConfig.StateVisibility.ReturnExpiredIfNotCleanedUp
        return value if shown else None, None


class State:
    """What is remembered for the current key under one name."""

    __slots__ = ("_cell",)

    def __init__(self, cell: Cell) -> None:
        self._cell = cell

    def clear(self) -> None:
        """Forget it for the current key."""
        self._cell.set(None)

    def _one(self) -> Any:
        """The content, where it is one value."""
        life, content = self._cell.life, self._cell.get()
        if life is None or content is None:
            return content
        value, kept = life.read(content)
        if kept is not content:
            self._cell.set(kept)
        return value

    def _keep_one(self, value: Any) -> None:
        life = self._cell.life
        self._cell.set(value if life is None or value is None else life.begun(value))


@final
class ValueState(State, Generic[T]):
    """One value for each key."""

    __slots__ = ()

    def value(self) -> T | None:
        """The value of the current key; None when there is none."""
        value: T | None = self._one()
        return value

    def update(self, value: T | None) -> None:
        """Set the value of the current key; None is as good as ``clear``."""
        self._keep_one(value)


class AppendingState(State, Generic[IN, OUT]):
    """Something that grows by what is added."""

    __slots__ = ()

    @abstractmethod
    def get(self) -> OUT | None:
        """What has come of all that was added; None when nothing was."""

    @abstractmethod
    def add(self, value: IN) -> None:
        """Add a value."""


class MergingState(AppendingState[IN, OUT], ABC):
    """An ``AppendingState`` whose contents can be merged, as windows that grow together do."""

    __slots__ = ()


@final
class ReducingState(MergingState[T, T]):
    """All values added so far as one, by a ``ReduceFunction``."""

    __slots__ = ("_reduce",)

    def __init__(self, cell: Cell, function: ReduceFunction[T]) -> None:
        super().__init__(cell)
        self._reduce = function.reduce

    def get(self) -> T | None:
        """What has come of all values; None when there was none."""
        value: T | None = self._one()
        return value

    def add(self, value: T) -> None:
        """Take a value in."""
        before = self._one()
        self._keep_one(value if before is None else self._reduce(before, value))


@final
class AggregatingState(MergingState[IN, OUT]):
    """All values added so far as one, by an ``AggregateFunction``."""

    __slots__ = ("_function",)

    def __init__(self, cell: Cell, function: AggregateFunction[IN, Any, OUT]) -> None:
        super().__init__(cell)
        self._function = function

    def get(self) -> OUT | None:
        """The result of all values; None when there was none."""
        accumulator = self._one()
        return None if accumulator is None else self._function.get_result(accumulator)

    def add(self, value: IN) -> None:
        """Take a value in."""
        before = self._one()
        self._keep_one(self._function.add(value, self._function.create_accumulator() if before is None else before))


@final
class ListState(MergingState[T, Iterable[T]]):
    """A list for each key; ``get`` gives an empty one when nothing was added, as in PyFlink."""

    __slots__ = ()

    def get(self) -> Iterable[T]:
        """The elements, in the order in which they were added."""
        life, content = self._cell.life, self._cell.get() or []
        if life is None or not content:
            return iter(content)
        seen = [life.read(one) for one in content]
        self._cell.set([kept for _, kept in seen if kept is not None] or None)
        return iter([value for value, _ in seen if value is not None])

    def add(self, value: T) -> None:
        """Add an element."""
        self.add_all([value])

    def update(self, values: Iterable[T]) -> None:
        """Put these elements in the place of all."""
        self._cell.set(self._begun(values) or None)

    def add_all(self, values: Iterable[T]) -> None:
        """Add several elements."""
        content = self._cell.get() or []
        content.extend(self._begun(values))
        self._cell.set(content or None)

    addAll = add_all

    def __iter__(self) -> Iterator[T]:
        return iter(self.get())

    def _begun(self, values: Iterable[T]) -> list[Any]:
        life = self._cell.life
        return list(values) if life is None else [life.begun(value) for value in values]


class ReadOnlyBroadcastState(State, Generic[K, V]):
    """A map that is the same in all subtasks, as functions see it that may not change it."""

    __slots__ = ()

    def get(self, key: K) -> V | None:
        """The value of an entry; None when there is none."""
        content, life = self._content(), self._cell.life
        if life is None or key not in content:
            return content.get(key)
        value, kept = life.read(content[key])
        if kept is None:
            del content[key]
            self._cell.set(content or None)
        elif kept is not content[key]:
            content[key] = kept
            self._cell.set(content)
        seen: V | None = value
        return seen

    def contains(self, key: K) -> bool:
        """Whether there is an entry."""
        return key in self._content() and (self._cell.life is None or self.get(key) is not None)

    def items(self) -> Iterable[tuple[K, V]]:
        """All entries."""
        content = self._content()
        if self._cell.life is None:
            return iter(list(content.items()))
        seen = [(key, self.get(key)) for key in list(content)]
        return iter([(key, value) for key, value in seen if value is not None])

    def keys(self) -> Iterable[K]:
        """The keys of all entries."""
        return iter([key for key, _ in self.items()])

    def values(self) -> Iterable[V]:
        """The values of all entries."""
        return iter([value for _, value in self.items()])

    def is_empty(self) -> bool:
        """Whether there is no entry."""
        return next(iter(self.items()), None) is None

    isEmpty = is_empty

    def __getitem__(self, key: K) -> V | None:
        return self.get(key)

    def __contains__(self, key: K) -> bool:
        return self.contains(key)

    def __iter__(self) -> Iterator[K]:
        return iter(self.keys())

    def _content(self) -> dict[K, Any]:
        content: dict[K, Any] | None = self._cell.get()
        return {} if content is None else content


class BroadcastState(ReadOnlyBroadcastState[K, V]):
    """A map that is the same in all subtasks."""

    __slots__ = ()

    def put(self, key: K, value: V) -> None:
        """Set an entry."""
        self.put_all({key: value})

    def put_all(self, dict_value: Mapping[K, V]) -> None:
        """Set several entries."""
        content, life = self._content(), self._cell.life
        content.update(dict_value if life is None else {key: life.begun(value) for key, value in dict_value.items()})
        self._cell.set(content or None)

    putAll = put_all

    def remove(self, key: K) -> None:
        """Forget an entry, if there is one."""
        content = self._content()
        if content.pop(key, None) is not None:
            self._cell.set(content or None)

    def __setitem__(self, key: K, value: V) -> None:
        self.put(key, value)

    def __delitem__(self, key: K) -> None:
        self.remove(key)


@final
class MapState(BroadcastState[K, V]):
    """A map for each key of the stream."""

    __slots__ = ()


@final
@attrs.frozen(kw_only=True)
class StateTtlConfig:
    """How long state lives: what was not written (or read) for that long counts as forgotten.

    Same as in Flink: by processing time, for each entry of a map and each element of a list on its own; the choices of
    clean-up strategies are accepted.
    Differs from Flink: what has expired is removed when its key is seen again, whatever strategy is chosen.

    Example:
        >>> config = StateTtlConfig.new_builder(Time.days(1)).update_ttl_on_read_and_write().build()
        >>> config.get_update_type().name, config.get_ttl().to_milliseconds()
        ('OnReadAndWrite', 86400000)
    """

    class UpdateType(enum.Enum):
        """What makes state live on."""

        Disabled = 0
        OnCreateAndWrite = 1
        OnReadAndWrite = 2

    class StateVisibility(enum.Enum):
        """Whether what has expired may still be seen."""

        ReturnExpiredIfNotCleanedUp = 0
        NeverReturnExpired = 1

    class TtlTimeCharacteristic(enum.Enum):
        """Which clock counts."""

        ProcessingTime = 0

    ttl_ms: int
    update_type: UpdateType = UpdateType.OnCreateAndWrite
    visibility: StateVisibility = StateVisibility.NeverReturnExpired

    @staticmethod
    def new_builder(ttl: Time | Duration) -> StateTtlConfig.Builder:
        """Begin a configuration: state lives for ``ttl``.

        Raises:
            DefinitionError: It is not a positive length of time.
        """
        return StateTtlConfig.Builder(ttl)

    newBuilder = new_builder

    def get_update_type(self) -> UpdateType:
        """What makes state live on."""
        return self.update_type

    getUpdateType = get_update_type

    def get_state_visibility(self) -> StateVisibility:
        """Whether what has expired may still be seen."""
        return self.visibility

    getStateVisibility = get_state_visibility

    def get_ttl(self) -> Time:
        """How long state lives."""
        return Time.milliseconds(self.ttl_ms)

    getTtl = get_ttl

    def get_ttl_time_characteristic(self) -> TtlTimeCharacteristic:
        """Processing time, always."""
        return StateTtlConfig.TtlTimeCharacteristic.ProcessingTime

    getTtlTimeCharacteristic = get_ttl_time_characteristic

    def is_enabled(self) -> bool:
        """Whether state expires at all."""
        return self.update_type is not StateTtlConfig.UpdateType.Disabled

    isEnabled = is_enabled

    @final
    class Builder:
        """Collects the settings of a ``StateTtlConfig``; each setter returns the builder."""

        def __init__(self, ttl: Time | Duration) -> None:
            self._ttl_ms = _millis(ttl)
            self._update_type = StateTtlConfig.UpdateType.OnCreateAndWrite
            self._visibility = StateTtlConfig.StateVisibility.NeverReturnExpired

        def set_update_type(self, update_type: StateTtlConfig.UpdateType) -> StateTtlConfig.Builder:
            """What makes state live on."""
            self._update_type = update_type
            return self

        setUpdateType = set_update_type

        def update_ttl_on_create_and_write(self) -> StateTtlConfig.Builder:
            """Writing makes state live on: the default."""
            return self.set_update_type(StateTtlConfig.UpdateType.OnCreateAndWrite)

        updateTtlOnCreateAndWrite = update_ttl_on_create_and_write

        def update_ttl_on_read_and_write(self) -> StateTtlConfig.Builder:
            """Reading, too, makes state live on."""
            return self.set_update_type(StateTtlConfig.UpdateType.OnReadAndWrite)

        updateTtlOnReadAndWrite = update_ttl_on_read_and_write

        def set_state_visibility(self, state_visibility: StateTtlConfig.StateVisibility) -> StateTtlConfig.Builder:
            """Whether what has expired may still be seen."""
            self._visibility = state_visibility
            return self

        setStateVisibility = set_state_visibility

        def return_expired_if_not_cleaned_up(self) -> StateTtlConfig.Builder:
            """What has expired may be seen until it is removed."""
            return self.set_state_visibility(StateTtlConfig.StateVisibility.ReturnExpiredIfNotCleanedUp)

        returnExpiredIfNotCleanedUp = return_expired_if_not_cleaned_up

        def never_return_expired(self) -> StateTtlConfig.Builder:
            """What has expired is never seen: the default."""
            return self.set_state_visibility(StateTtlConfig.StateVisibility.NeverReturnExpired)

        neverReturnExpired = never_return_expired

        def set_ttl_time_characteristic(
            self, ttl_time_characteristic: StateTtlConfig.TtlTimeCharacteristic
        ) -> StateTtlConfig.Builder:
            """Accepted: there is only one."""
            return self

        setTtlTimeCharacteristic = set_ttl_time_characteristic

        def use_processing_time(self) -> StateTtlConfig.Builder:
            """Accepted: it is always processing time."""
            return self

        useProcessingTime = use_processing_time

        def cleanup_full_snapshot(self) -> StateTtlConfig.Builder:
            """Accepted, without effect."""
            return self

        cleanupFullSnapshot = cleanup_full_snapshot

        def cleanup_incrementally(
            self, cleanup_size: int, run_cleanup_for_every_record: bool
        ) -> StateTtlConfig.Builder:
            """Accepted, without effect."""
            return self

        cleanupIncrementally = cleanup_incrementally

        def cleanup_in_rocksdb_compact_filter(
            self, query_time_after_num_entries: int, periodic_compaction_time: Time | Duration | None = None
        ) -> StateTtlConfig.Builder:
            """Accepted, without effect."""
            return self

        cleanupInRocksdbCompactFilter = cleanup_in_rocksdb_compact_filter

        def disable_cleanup_in_background(self) -> StateTtlConfig.Builder:
            """Accepted, without effect."""
            return self

        disableCleanupInBackground = disable_cleanup_in_background

        def set_ttl(self, ttl: Time | Duration) -> StateTtlConfig.Builder:
            """How long state lives.

            Raises:
                DefinitionError: It is not a positive length of time.
            """
            self._ttl_ms = _millis(ttl)
            return self

        setTtl = set_ttl

        def build(self) -> StateTtlConfig:
            """The configuration."""
            return StateTtlConfig(ttl_ms=self._ttl_ms, update_type=self._update_type, visibility=self._visibility)


def _millis(ttl: Time | Duration) -> int:
    if not isinstance(ttl, (Time, Duration)):
        raise DefinitionError(f"a time to live must be a Time, not {ttl!r}", now="Write Time.hours(…) or the like.")
    millis = ttl.to_milliseconds() if isinstance(ttl, Time) else ttl.to_millis()
    if millis <= 0:
        raise DefinitionError(f"TTL is expected to be positive, not {millis} ms", where="StateTtlConfig")
    return millis


@attrs.define
class StateDescriptor:
    """A state's name, type, and how long it lives.

    Attributes:
        name: By which the state is found again after a restart.
        type_info: The type of what is kept.
        ttl: How long it lives; None for ever.
    """

    name: str = attrs.field()
    type_info: TypeInformation[Any]
    ttl: StateTtlConfig | None = attrs.field(default=None, init=False)

    @name.validator
    def _check_name(self, _: object, name: str) -> None:
        if not isinstance(name, str) or not name:
            raise DefinitionError(f"a state's name is a text that is not empty, not {name!r}")

    def get_name(self) -> str:
        """By which the state is found again after a restart."""
        return self.name

    getName = get_name

    def enable_time_to_live(self, ttl_config: StateTtlConfig) -> None:
        """Let the state expire."""
        self.ttl = ttl_config

    enableTimeToLive = enable_time_to_live


@final
@attrs.define(init=False)
class ValueStateDescriptor(StateDescriptor, Generic[T]):
    """Of a ``ValueState``.

    Example:
        >>> ValueStateDescriptor("count", Types.LONG()).get_name()
        'count'
    """

    def __init__(self, name: str, value_type_info: TypeInformation[T]) -> None:
        self.__attrs_init__(name, value_type_info)


@final
@attrs.define(init=False)
class ListStateDescriptor(StateDescriptor, Generic[T]):
    """Of a ``ListState``; the type is that of its elements."""

    def __init__(self, name: str, elem_type_info: TypeInformation[T]) -> None:
        self.__attrs_init__(name, elem_type_info)


@final
@attrs.define(init=False)
class MapStateDescriptor(StateDescriptor, Generic[K, V]):
    """Of a ``MapState`` or a broadcast state; with the types of its keys and values."""

    def __init__(self, name: str, key_type_info: TypeInformation[K], value_type_info: TypeInformation[V]) -> None:
        self.__attrs_init__(name, Types.MAP(key_type_info, value_type_info))


@final
@attrs.define(init=False)
class ReducingStateDescriptor(StateDescriptor, Generic[T]):
    """Of a ``ReducingState``, with its function."""

    reduce_function: ReduceFunction[T]

    def __init__(
        self,
        name: str,
        reduce_function: ReduceFunction[T] | Callable[[T, T], T],
        type_info: TypeInformation[T],
    ) -> None:
        self.__attrs_init__(name, type_info, as_reduce_function(reduce_function))

    def get_reduce_function(self) -> ReduceFunction[T]:
        """What makes one value of two."""
        return self.reduce_function

    getReduceFunction = get_reduce_function


@final
@attrs.define(init=False)
class AggregatingStateDescriptor(StateDescriptor, Generic[IN, ACC, OUT]):
    """Of an ``AggregatingState``, with its function; the type is that of the accumulator."""

    agg_function: AggregateFunction[IN, ACC, OUT]

    def __init__(
        self, name: str, agg_function: AggregateFunction[IN, ACC, OUT], state_type_info: TypeInformation[ACC]
    ) -> None:
        self.__attrs_init__(name, state_type_info, agg_function)

    def get_agg_function(self) -> AggregateFunction[IN, ACC, OUT]:
        """What takes values into the accumulator, and a result out."""
        return self.agg_function

    getAggFunction = get_agg_function


Cells = Callable[[StateDescriptor], Cell]
"""Finds where the state of a descriptor is kept."""


class KeyedStateStore(ABC):
    """Where functions get their state, in ``open``."""

    @property
    @abstractmethod
    def cells(self) -> Cells | None:
        """Where the states are kept; None where there are no keys."""

    def get_state(self, state_descriptor: ValueStateDescriptor[T]) -> ValueState[T]:
        """A value for each key.

        Raises:
            DefinitionError: The stream has no keys, or another state has this name.
        """
        return ValueState(self._cell_of(state_descriptor, ValueStateDescriptor))

    getState = get_state

    def get_list_state(self, state_descriptor: ListStateDescriptor[T]) -> ListState[T]:
        """A list for each key; errors as with ``get_state``."""
        return ListState(self._cell_of(state_descriptor, ListStateDescriptor))

    getListState = get_list_state

    def get_map_state(self, state_descriptor: MapStateDescriptor[K, V]) -> MapState[K, V]:
        """A map for each key; errors as with ``get_state``."""
        return MapState(self._cell_of(state_descriptor, MapStateDescriptor))

    getMapState = get_map_state

    def get_reducing_state(self, state_descriptor: ReducingStateDescriptor[T]) -> ReducingState[T]:
        """A reduced value for each key; errors as with ``get_state``."""
        cell = self._cell_of(state_descriptor, ReducingStateDescriptor)
        return ReducingState(cell, state_descriptor.reduce_function)

    getReducingState = get_reducing_state

    def get_aggregating_state(
        self, state_descriptor: AggregatingStateDescriptor[IN, ACC, OUT]
    ) -> AggregatingState[IN, OUT]:
        """An aggregate for each key; errors as with ``get_state``."""
        cell = self._cell_of(state_descriptor, AggregatingStateDescriptor)
        return AggregatingState(cell, state_descriptor.agg_function)

    getAggregatingState = get_aggregating_state

    def _cell_of(self, descriptor: StateDescriptor, kind: type[StateDescriptor]) -> Cell:
        if not isinstance(descriptor, kind):
            raise TypeError(f"expected a {kind.__name__}, not {type(descriptor).__name__}")
        if self.cells is None:
            raise DefinitionError(
                f"state {descriptor.name!r} is asked for on a stream without keys",
                now="Keyed state can only be used on a keyed stream, i.e. after key_by.",
            )
        return self.cells(descriptor)
