"""Timestamps and watermarks on a worker: what users' assigners and generators may give, and what is told when they may not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kafkastream.common import Duration, WatermarkGenerator, WatermarkOutput, WatermarkStrategy
from kafkastream.errors import KafkastreamError, UserFunctionError
from kafkastream.model.common.watermark_strategy import MIN_WATERMARK
from kafkastream.spark.worker.batches import Batch
from kafkastream.spark.worker.chained_operators import TaskScope
from kafkastream.spark.worker.operator_chain import applied
from kafkastream.spark.worker.watermark_operator import WatermarkOperator

MONOTONOUS: WatermarkStrategy[Any] = WatermarkStrategy.for_monotonous_timestamps()
AS_THEY_ARE = MONOTONOUS.with_timestamp_assigner(lambda value, _: value)


def applied_to(strategy: WatermarkStrategy[Any], *values: Any) -> tuple[Batch, Any]:
    """What comes of elements of partition "p", and what is told of it."""
    operator = WatermarkOperator("in", strategy, 7, by_partition=True)
    operator.begin(TaskScope("origin", "p"))
    batch = applied(operator, Batch(values, [None] * len(values), range(len(values))), lambda row: f"offset {row}")
    (report,) = operator.drain()
    assert list(operator.drain()) == []
    return batch, report.content


@pytest.mark.parametrize("time", [0, -5, -(2**63), 2**63 - 1, 253_402_300_800_000])
def test_any_time_of_64_bits_will_do(time: int) -> None:
    batch, (seen, _) = applied_to(AS_THEY_ARE, time)
    assert batch.timestamps == [time]
    assert seen == {"p": max(time - 1, MIN_WATERMARK)}


def test_whole_numbers_of_other_types_become_plain() -> None:
    batch, (seen, _) = applied_to(AS_THEY_ARE, np.int64(3), 9)
    assert [type(time) for time in batch.timestamps] == [int, int]
    assert (batch.timestamps, seen) == ([3, 9], {"p": 8})


@pytest.mark.parametrize("time", [None, 1.5, "1795000000000", 2**63, -(2**63) - 1], ids=repr)
def test_timestamp_that_is_none_is_told_with_its_record(time: Any) -> None:
    with pytest.raises(UserFunctionError) as raised:
        applied_to(AS_THEY_ARE, 5, time)
    assert raised.value.what == (
        "the function of operator 'in' raised DefinitionError: a timestamp is a whole number of ms that fits into 64 "
        f"bits, not {time!r}"
    )
    assert raised.value.where == f"offset 1; element {time!r}"


def test_assigner_that_raises_is_told_with_its_record() -> None:
    strategy = MONOTONOUS.with_timestamp_assigner(lambda value, _: int(value))
    with pytest.raises(UserFunctionError, match=r"operator 'in' raised ValueError: invalid literal .*: 'x'") as raised:
        applied_to(strategy, "3", "x")
    assert raised.value.where == "offset 1; element 'x'"


def test_watermark_stays_behind_by_the_bound_and_one_more() -> None:
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(10))
    assert applied_to(strategy.with_timestamp_assigner(lambda value, _: value), 100, 300, 200)[1] == ({"p": 289}, set())


class Marks(WatermarkGenerator[Any]):
    """Does what the elements say."""

    def on_event(self, event: Any, event_timestamp: int, output: WatermarkOutput) -> None:
        if event == "idle":
            output.mark_idle()
        elif event != "periodic":
            output.emit_watermark(event)
        self.last = event

    def on_periodic_emit(self, output: WatermarkOutput) -> None:
        if self.last == "periodic":
            raise OSError("no clock")


def test_generator_moves_time_and_may_be_idle() -> None:
    strategy = WatermarkStrategy.for_generator(Marks)
    assert applied_to(strategy, 5, 3) == (Batch((5, 3), [None, None], range(2)), ({"p": 5}, set()))
    assert applied_to(strategy, 5, "idle")[1] == ({"p": 5}, {"p"})
    assert applied_to(strategy, "idle", 7)[1] == ({"p": 7}, set())


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ((5, "x"), "the function of operator 'in' raised DefinitionError: a watermark is a whole number of ms"),
        ((5, "periodic"), "on_periodic_emit of operator 'in' raised OSError: no clock"),
    ],
    ids=["on_event", "on_periodic_emit"],
)
def test_generator_that_fails_is_told(values: tuple[Any, ...], what: str) -> None:
    with pytest.raises(KafkastreamError) as raised:
        applied_to(WatermarkStrategy.for_generator(Marks), *values)
    assert raised.value.what.startswith(what)


def test_generator_that_cannot_be_made_is_told() -> None:
    strategy: WatermarkStrategy[Any] = WatermarkStrategy.for_generator(lambda: 1 / 0)  # type: ignore[arg-type,return-value]  # what this test is about
    with pytest.raises(UserFunctionError, match="the supplier of watermark generators of operator 'in' raised ZeroDiv"):
        applied_to(strategy, 5)
