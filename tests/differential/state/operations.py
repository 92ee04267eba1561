"""Does what the cases say. ``record.py`` runs this text with ``pyflink`` in the place of ``kafkastream``."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from kafkastream.common import Time, Types
from kafkastream.datastream import AggregateFunction, KeyedProcessFunction, ReduceFunction, RuntimeContext
from kafkastream.datastream.state import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateTtlConfig,
    ValueStateDescriptor,
)

PICKLED = Types.PICKLED_BYTE_ARRAY()


class Added(ReduceFunction):
    def reduce(self, value1: Any, value2: Any) -> Any:
        return value1 + value2


class Listed(AggregateFunction):
    def create_accumulator(self) -> list[Any]:
        return []

    def add(self, value: Any, accumulator: list[Any]) -> list[Any]:
        accumulator.append(value)
        return accumulator

    def get_result(self, accumulator: list[Any]) -> str:
        return repr(accumulator)[:200]

    def merge(self, acc_a: list[Any], acc_b: list[Any]) -> list[Any]:
        return acc_a + acc_b


class Operations(KeyedProcessFunction):
    """One element is a step of a case; ``life`` None is for ever, else one of ``cases.LIVES``."""

    def __init__(self, life: str | None, wait: Callable[[float], None] = time.sleep) -> None:
        self.life = life
        self.wait = wait
        self.held: Any = None

    def open(self, runtime_context: RuntimeContext) -> None:
        lasting, of = self.lasting, runtime_context
        self.states: dict[str, Any] = {
            "v": of.get_state(lasting(ValueStateDescriptor("v", PICKLED))),
            "l": of.get_list_state(lasting(ListStateDescriptor("l", PICKLED))),
            "m": of.get_map_state(lasting(MapStateDescriptor("m", Types.STRING(), PICKLED))),
            "r": of.get_reducing_state(lasting(ReducingStateDescriptor("r", Added(), PICKLED))),
            "a": of.get_aggregating_state(lasting(AggregatingStateDescriptor("a", Listed(), PICKLED))),
        }

    def lasting(self, descriptor: Any) -> Any:
        if self.life is not None:
            builder = StateTtlConfig.new_builder(Time.seconds(1))
            if "r" in self.life:
                builder.update_ttl_on_read_and_write()
            if "x" in self.life:
                builder.return_expired_if_not_cleaned_up()
            descriptor.enable_time_to_live(builder.build())
        return descriptor

    def process_element(self, value: Any, ctx: KeyedProcessFunction.Context) -> Iterator[Any]:
        case, step, calls = value
        yield repr((case, step, [self.answer(*call) for call in calls]))

    def answer(self, name: str, method: str, *given: Any) -> str:
        try:
            return shown(self.called(self.states.get(name), method, *given))
        except Exception as error:  # noqa: BLE001 - the answer says so
            return type(error).__name__

    def called(self, state: Any, method: str, *given: Any) -> Any:
        if method == "sleep":
            return self.wait(given[0] / 1000)
        if method == "hold":
            self.held = getattr(state, given[0])()
            return None
        if method == "look":
            return list(self.held)
        if method in METHODS:
            return METHODS[method](state, *given)
        got = getattr(state, method)(*given)
        return list(got) if method == "get" and hasattr(state, "add_all") else got


METHODS: dict[str, Callable[..., Any]] = {
    "change": lambda state, value, *key: (state.value() if hasattr(state, "value") else state.get(*key)).append(value),
    "change_first": lambda state, value: next(iter(state.get())).append(value),
    "count": lambda state: len(list(state.get())),
    "in": lambda state, key: key in state,
    "iterate": sorted,
    "get_item": lambda state, key: state[key],
    "set_item": lambda state, key, value: state.__setitem__(key, value),
    "delete_item": lambda state, key: state.__delitem__(key),
    "items": lambda state: sorted(state.items(), key=repr),
    "keys": lambda state: sorted(state.keys(), key=repr),
    "values": lambda state: sorted(state.values(), key=repr),
}


def shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 300 else f"{text[:100]} ... {len(text)}"
