"""State descriptors: name, type and time to live of a state."""

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
    """Name, type and time to live of a state.

    Attributes:
        name: Unique within the operator; the state is found again by it after a restart.
        type_info: Type of the content.
        ttl: Time to live; None for ever.
    """

    name: str = attrs.field()
    type_info: TypeInformation[Any]
    ttl: StateTtlConfig | None = attrs.field(default=None, init=False)

    @name.validator
    def _check_name(self, _: object, name: str) -> None:
        if not isinstance(name, str) or not name:
            raise DefinitionError(f"a state's name is a text that is not empty, not {name!r}")

    def get_name(self) -> str:
        """Return the name by which the state is found again after a restart."""
        return self.name

    getName = get_name

    def enable_time_to_live(self, ttl_config: StateTtlConfig) -> None:
        """Let the state expire.

        Args:
            ttl_config: Time to live, and which accesses renew it.

        Warning:
            Decide before the first run: a job that restarts with existing state refuses a state that has gained or lost
                its time
            to live, as Flink does.
        """
        self.ttl = ttl_config

    enableTimeToLive = enable_time_to_live


@final
@checked_methods
@attrs.define(init=False)
class ValueStateDescriptor(StateDescriptor, Generic[T]):
    """Descriptor of a ``ValueState``.

    Args:
        name: Unique within the operator.
        value_type_info: Type of the value.

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
    """Descriptor of a ``ListState``.

    Args:
        name: Unique within the operator.
        elem_type_info: Type of the elements.
    """

    def __init__(self, name: str, elem_type_info: TypeInformation[T]) -> None:
        self.__attrs_init__(name, elem_type_info)


@final
@checked_methods
@attrs.define(init=False)
class MapStateDescriptor(StateDescriptor, Generic[K, V]):
    """Descriptor of a ``MapState`` or a broadcast state.

    Args:
        name: Unique within the operator.
        key_type_info: Type of the keys.
        value_type_info: Type of the values.
    """

    def __init__(self, name: str, key_type_info: TypeInformation[K], value_type_info: TypeInformation[V]) -> None:
        self.__attrs_init__(name, Types.MAP(key_type_info, value_type_info))


@final
@checked_methods
@attrs.define(init=False)
class ReducingStateDescriptor(StateDescriptor, Generic[T]):
    """Descriptor of a ``ReducingState``.

    Args:
        name: Unique within the operator.
        reduce_function: Combines two values into one.
        type_info: Type of the values.
    """

    reduce_function: ReduceFunction[T]

    def __init__(
        self,
        name: str,
        reduce_function: ReduceFunction[T] | Callable[[T, T], T],
        type_info: TypeInformation[T],
    ) -> None:
        self.__attrs_init__(name, type_info, as_reduce_function(reduce_function))

    def get_reduce_function(self) -> ReduceFunction[T]:
        """Return the function that combines two values into one."""
        return self.reduce_function

    getReduceFunction = get_reduce_function


@final
@checked_methods
@attrs.define(init=False)
class AggregatingStateDescriptor(StateDescriptor, Generic[IN, ACC, OUT]):
    """Descriptor of an ``AggregatingState``.

    Args:
        name: Unique within the operator.
        agg_function: Adds values to the accumulator and computes the result.
        state_type_info: Type of the accumulator.
    """

    agg_function: AggregateFunction[IN, ACC, OUT]

    def __init__(
        self, name: str, agg_function: AggregateFunction[IN, ACC, OUT], state_type_info: TypeInformation[ACC]
    ) -> None:
        self.__attrs_init__(name, state_type_info, agg_function)

    def get_agg_function(self) -> AggregateFunction[IN, ACC, OUT]:
        """Return the function that adds values to the accumulator and computes the result."""
        return self.agg_function

    getAggFunction = get_agg_function
