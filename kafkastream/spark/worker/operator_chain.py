"""Operator chains: take elements through operators down to sinks, one batch at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import final

import attrs

from kafkastream.metrics.values import OperatorChanges
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.spark.crash_notes import NOTE
from kafkastream.spark.worker.batches import Batch, ElementError, parted
from kafkastream.spark.worker.chain_sinks import SinkOperator
from kafkastream.spark.worker.chained_operators import Operator, TaskScope
from kafkastream.spark.worker.failures import function_failed
from kafkastream.spark.worker.reports import Report
from kafkastream.spark.worker.task_metrics import OperatorMetrics

__all__ = ["ChainedOperator", "OperatorChain", "Place", "applied"]

Place = Callable[[int], str]
"""Function from an element's origin to a description of its source record."""


@final
@attrs.define(eq=False)
class ChainedOperator:
    """An operator with the operators that take its output; ``sides`` take its side outputs, by tag."""

    operator: Operator
    next: tuple[ChainedOperator, ...] = ()
    sides: Mapping[str, tuple[ChainedOperator, ...]] = FrozenMap()


@final
@attrs.define(eq=False)
class OperatorChain:
    """A chain of operators, opened for one subtask.

    Args:
        stages: First operators, each with those that follow.
        before: Operators that are applied before the stages.
        apart: Stage that only ``push_to`` reaches.
        sides: First operators of side outputs, by tag, if the operator before the chain has side outputs.
    """

    stages: tuple[ChainedOperator, ...]
    before: tuple[Operator, ...] = ()
    apart: ChainedOperator | None = None
    sides: Mapping[str, tuple[ChainedOperator, ...]] = FrozenMap()
    _metrics: dict[Operator, OperatorMetrics] = attrs.field(factory=dict, init=False)

    def operators(self) -> tuple[Operator, ...]:
        """Return all operators; one that is reached on two paths comes once."""
        apart = () if self.apart is None else (self.apart,)
        stages = (*apart, *self.stages, *chain.from_iterable(self.sides.values()))
        return tuple(dict.fromkeys((*self.before, *_operators(stages))))

    @property
    def sinks(self) -> tuple[SinkOperator, ...]:
        """The sinks among the operators."""
        return tuple(operator for operator in self.operators() if isinstance(operator, SinkOperator))

    @property
    def reusable(self) -> bool:
        """True if the opened functions can be reused in the next task: not if one overrides ``close``."""
        return not any(operator.overrides_close for operator in self.operators())

    def open(self, context: RuntimeContext) -> None:
        """Open every operator.

        Raises:
            UserFunctionError: An ``open`` raised.
        """
        for operator in self.operators():
            parallelism = operator.parallelism or context.parallelism
            subtask = context.subtask % parallelism
            metrics = self._metrics[operator] = OperatorMetrics(operator.scope, subtask)
            own = attrs.evolve(
                context, task_name=operator.name, subtask=subtask, parallelism=parallelism, metrics=metrics.group
            )
            with function_failed(operator.name, "open"):
                operator.open(own)

    def begin(self, task: TaskScope) -> None:
        """Begin a task."""
        for operator in self.operators():
            operator.begin(task)

    def behind_watermark(self, *, is_behind: bool) -> None:
        """Notify the operators that the next elements come after the micro-batch's watermark."""
        for operator in self.operators():
            operator.behind_watermark(is_behind=is_behind)

    def drain(self) -> Iterator[Report]:
        """Return the reports of the operators so far."""
        for operator in self.operators():
            yield from operator.drain()

    def push(self, batch: Batch, place: Place) -> None:
        """Push elements through all stages.

        Raises:
            JobError: An element failed, with its place.
        """
        self.spread(batch, self.stages, None, place)

    def push_to(self, stage: ChainedOperator, batch: Batch, place: Place) -> None:
        """Push elements through one stage and those that follow it; errors as of ``push``."""
        if not batch.values:
            return
        out = applied(stage.operator, batch, place)
        metrics = self._metrics[stage.operator]
        metrics.records_in.inc(len(batch.values))
        metrics.records_out.inc(len(out.values))
        self.spread(out, stage.next, stage.sides if stage.operator.has_side_outputs else None, place)

    def spread(
        self,
        batch: Batch,
        following: Iterable[ChainedOperator],
        sides: Mapping[str, tuple[ChainedOperator, ...]] | None,
        place: Place,
    ) -> None:
        """Push output to the next stages; with ``sides``, tagged elements go to their side output or are dropped."""
        main, aside = (batch, {}) if sides is None else parted(batch)
        for stage in following:
            self.push_to(stage, main, place)
        for tag, tagged in aside.items():
            for stage in (sides or {}).get(tag, ()):
                self.push_to(stage, tagged, place)

    def abandon(self) -> None:
        """End a task that has failed."""
        for sink in self.sinks:
            sink.abandon()

    def finish(self) -> Iterator[Report]:
        """End the task: close functions that override ``close``, then flush the sinks.

        Raises:
            UserFunctionError: A function's ``close`` raised.
            DeliveryError: A sink could not write.
        """
        for operator in self.operators():
            if operator.overrides_close:
                with function_failed(operator.name, "close"):
                    operator.close()
        for sink in self.sinks:
            yield from sink.finish()
        yield from self.drain()

    def changes(self) -> Iterator[OperatorChanges]:
        """Return the changes of the operators' metrics; operators ``before`` the stages count as the chain's own."""
        telling = (operator for operator in self._metrics if operator.has_metrics and operator not in self.before)
        return (self._metrics[operator].changes() for operator in telling)


def applied(operator: Operator, batch: Batch, place: Place) -> Batch:
    """Apply an operator to a batch.

    Raises:
        JobError: It failed on an element; the error names its record.
    """
    NOTE.enter(f"operator {operator.name!r}", lambda index: place(batch.origin[index]))
    try:
        out = operator.apply(batch)
    except ElementError as error:
        where = place(batch.origin[error.index])
        raise operator.failure(batch.values[error.index], where, error.__cause__) from error
    NOTE.leave()
    return out


def _operators(stages: tuple[ChainedOperator, ...]) -> Iterator[Operator]:
    for stage in stages:
        yield stage.operator
        yield from _operators((*stage.next, *chain.from_iterable(stage.sides.values())))
