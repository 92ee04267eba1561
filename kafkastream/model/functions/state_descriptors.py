"""The names and types of states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.stream_functions import AggregateFunction, ReduceFunction, as_reduce_function
from kafkastream.model.common.types import TypeInformation, Types
from kafkastream.model.functions.state_ttl import StateTtlConfig

__all__ = [
    "AggregatingStateDescriptor",
    "ListStateDescriptor",
    "MapStateDescriptor",
    "ReducingStateDescriptor",
    "StateDescriptor",
    "ValueStateDescriptor",
]

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")
IN = TypeVar("IN")
ACC = TypeVar("ACC")
OUT = TypeVar("OUT")


@checked_methods
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
@checked_methods
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
@checked_methods
@attrs.define(init=False)
class ListStateDescriptor(StateDescriptor, Generic[T]):
    """Of a ``ListState``; the type is that of its elements."""

    def __init__(self, name: str, elem_type_info: TypeInformation[T]) -> None:
        self.__attrs_init__(name, elem_type_info)


@final
@checked_methods
@attrs.define(init=False)
class MapStateDescriptor(StateDescriptor, Generic[K, V]):
    """Of a ``MapState`` or a broadcast state; with the types of its keys and values."""

    def __init__(self, name: str, key_type_info: TypeInformation[K], value_type_info: TypeInformation[V]) -> None:
        self.__attrs_init__(name, Types.MAP(key_type_info, value_type_info))


@final
@checked_methods
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
@checked_methods
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
