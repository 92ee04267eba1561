from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.errors import DefinitionError
from kafkastream.model.common.time import Duration
from kafkastream.model.common.watermark_strategy import (
    MIN_WATERMARK,
    BoundedOutOfOrderness,
    CustomWatermarks,
    NoWatermarks,
    TimestampAssigner,
    WatermarkAlignment,
    WatermarkGenerator,
    WatermarkOutput,
    WatermarkStrategy,
)

_SECOND = Duration.of_seconds(1)


@attrs.frozen
class FieldTime(TimestampAssigner[dict[str, int]]):
    field: str = "time"

    def extract_timestamp(self, value: dict[str, int], record_timestamp: int) -> int:
        return value[self.field]


class Punctuated(WatermarkGenerator[int]):
    def on_event(self, event: int, event_timestamp: int, output: WatermarkOutput) -> None:
        output.emit_watermark(event_timestamp)

    def on_periodic_emit(self, output: WatermarkOutput) -> None:
        output.mark_idle()


Step = Callable[[WatermarkStrategy[Any]], WatermarkStrategy[Any]]
_STEPS: list[Step] = [
    lambda strategy: strategy.with_timestamp_assigner(FieldTime()),
    lambda strategy: strategy.with_idleness(_SECOND),
    lambda strategy: strategy.with_watermark_alignment("group", _SECOND),
]


@given(st.permutations(_STEPS))
def test_the_order_of_parts_does_not_matter_and_none_is_lost(steps: list[Step]) -> None:
    strategy: WatermarkStrategy[Any] = WatermarkStrategy.for_monotonous_timestamps()
    for step in steps:
        strategy = step(strategy)
    assert strategy == WatermarkStrategy(
        generation=BoundedOutOfOrderness(Duration(0)),
        timestamp_assigner=FieldTime(),
        idle_timeout=_SECOND,
        alignment=WatermarkAlignment(group="group", max_drift=_SECOND, update_interval=_SECOND),
    )
    assert pickle.loads(pickle.dumps(strategy)) == strategy


def test_a_strategy_is_never_changed_in_place() -> None:
    strategy = WatermarkStrategy.no_watermarks()
    strategy.with_idleness(_SECOND)
    strategy.with_timestamp_assigner(FieldTime())
    assert strategy == WatermarkStrategy(generation=NoWatermarks())


def test_a_function_is_a_timestamp_assigner() -> None:
    strategy = WatermarkStrategy.no_watermarks().with_timestamp_assigner(lambda value, timestamp: value + timestamp)
    assert strategy.timestamp_assigner is not None
    assert strategy.timestamp_assigner.extract_timestamp(1, 2) == 3


def test_a_generator_comes_from_its_class() -> None:
    assert WatermarkStrategy.for_generator(Punctuated).generation == CustomWatermarks(Punctuated)


_ANY: WatermarkStrategy[Any] = WatermarkStrategy.no_watermarks()
_FIVE: Any = 5


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: WatermarkStrategy.for_bounded_out_of_orderness(Duration(-1)), "maxOutOfOrderness cannot be negative"),
        (lambda: _ANY.with_idleness(Duration(0)), "idleTimeout must be greater than zero"),
        (lambda: _ANY.with_idleness(Duration(-1)), "idleTimeout must be greater than zero"),
        (lambda: _ANY.with_watermark_alignment("g", Duration(-1)), "maxAllowedWatermarkDrift cannot be negative"),
        (
            lambda: _ANY.with_watermark_alignment("g", _SECOND, Duration(0)),
            "updateInterval must be greater than zero",
        ),
        (lambda: WatermarkStrategy.for_bounded_out_of_orderness(_FIVE), "must be a Duration, not 5"),
        (lambda: _ANY.with_idleness(_FIVE), "must be a Duration, not 5"),
        (
            lambda: _ANY.with_timestamp_assigner(_FIVE),
            "must be a TimestampAssigner or a function of 2 arguments, not 5",
        ),
    ],
)
def test_wrong_strategies_are_refused(build: Callable[[], object], message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        build()


@given(st.lists(st.integers(MIN_WATERMARK, 2**63 - 1)))
def test_watermarks_never_go_back(watermarks: list[int]) -> None:
    output = WatermarkOutput()
    for watermark in watermarks:
        output.emit_watermark(watermark)
    assert output.watermark == max([MIN_WATERMARK, *watermarks])


def test_a_watermark_ends_idleness() -> None:
    output = WatermarkOutput(idle=True)
    Punctuated().on_event(1, 5, output)
    assert output == WatermarkOutput(watermark=5, idle=False)


def test_idleness_is_marked_and_ended() -> None:
    output = WatermarkOutput()
    Punctuated().on_periodic_emit(output)
    assert output == WatermarkOutput(idle=True)
    output.mark_active()
    assert output == WatermarkOutput(idle=False)
