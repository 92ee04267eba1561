"""Assigns event time to elements and generates watermarks of splits, which the driver combines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, final

import attrs

from kafkastream.model.common.watermark_strategy import (
    MIN_WATERMARK,
    BoundedOutOfOrderness,
    CustomWatermarks,
    NoWatermarks,
    WatermarkGenerator,
    WatermarkOutput,
    WatermarkStrategy,
)
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.spark.worker.batches import Batch, each
from kafkastream.spark.worker.chained_operators import TaskScope, flinks_times
from kafkastream.spark.worker.failures import function_failed
from kafkastream.spark.worker.reports import Report, ReportKind
from kafkastream.spark.worker.user_operators import TimestampOperator

__all__ = ["WatermarkOperator"]


@final
@attrs.define(eq=False)
class WatermarkOperator(TimestampOperator):
    """Applies a watermark strategy; its splits are a source's partitions, or subtasks after other operators.

    Args:
        node: Node that generates watermarks.
        by_partition: Whether splits are partitions, since the strategy is a source's.
    """

    node: int
    by_partition: bool
    _split: str = attrs.field(default="", init=False)
    _subtask: str = attrs.field(default="", init=False)
    _seen: dict[str, int] = attrs.field(factory=dict, init=False)
    _idle: set[str] = attrs.field(factory=set, init=False)
    _generators: dict[str, tuple[WatermarkGenerator[Any], WatermarkOutput]] = attrs.field(factory=dict, init=False)

    def open(self, context: RuntimeContext) -> None:
        """Note the subtask."""
        self._subtask = str(context.get_index_of_this_subtask())

    def begin(self, task: TaskScope) -> None:
        """Note the partition."""
        self._split = task.split if self.by_partition else self._subtask

    def apply(self, batch: Batch) -> Batch:
        """Assign timestamps, if there is an assigner, and update the watermark."""
        timed = batch if self.strategy.timestamp_assigner is None else super().apply(batch)
        watermark = self._watermark(timed)
        if watermark is not None:
            self._seen[self._split] = max(watermark, self._seen.get(self._split, MIN_WATERMARK))
        return timed

    def drain(self) -> Iterator[Report]:
        """Return the watermarks since the last call, as a report."""
        if self._seen:
            yield Report(ReportKind.TIMES, self.node, (self._seen, frozenset(self._idle)))
            self._seen = {}

    @property
    def strategy(self) -> WatermarkStrategy[Any]:
        """Return the user's watermark strategy."""
        strategy: WatermarkStrategy[Any] = self.function
        return strategy

    def _watermark(self, batch: Batch) -> int | None:
        """Return the watermark after a batch; None if it gives none."""
        if not batch.values:
            return None
        match self.strategy.generation:
            case NoWatermarks():
                return None if self.strategy.idle_timeout is None else MIN_WATERMARK  # elements end idleness
            case BoundedOutOfOrderness(bound=bound):
                latest = max(flinks_times(batch))
                return max(latest - bound.to_millis() - 1, MIN_WATERMARK)
            case CustomWatermarks() as custom:
                return self._of_generator(custom, batch)

    def _of_generator(self, custom: CustomWatermarks, batch: Batch) -> int:
        if self._split not in self._generators:
            with function_failed(self.name, "the supplier of watermark generators"):
                self._generators[self._split] = (custom.supplier(), WatermarkOutput())
        generator, output = self._generators[self._split]
        each(lambda value, time: generator.on_event(value, time, output), batch.values, flinks_times(batch))
        with function_failed(self.name, "on_periodic_emit"):
            generator.on_periodic_emit(output)
        (self._idle.add if output.idle else self._idle.discard)(self._split)
        return output.watermark
