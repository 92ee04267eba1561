"""Operator chains: take elements through operators down to sinks, one batch at a time.

A batch goes from one of Flink's chains to the next. Within such a chain, elements go through one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import cast, final

import attrs

from kafkastream.metrics.values import OperatorChanges
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.common.mutable_values import detached_values
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.spark.crash_notes import NOTE
from kafkastream.spark.worker.batches import Batch, ElementError, parted
from kafkastream.spark.worker.chain_sinks import SinkOperator
from kafkastream.spark.worker.chained_operators import Operator, TaskScope
from kafkastream.spark.worker.element_chain import ChainedFunctionError, ElementChain, ElementOperator
from kafkastream.spark.worker.failures import function_failed
from kafkastream.spark.worker.reports import Report
from kafkastream.spark.worker.task_metrics import OperatorMetrics

__all__ = ["ChainedOperator", "OperatorChain", "Place", "applied"]

Place = Callable[[int], str]
"""Function from an element's origin to a description of its source record."""


@final
@attrs.define(eq=False)
class ChainedOperator:
    """An operator with the operators that take its output.

    Args:
        operator: The operator.
        next: Operators that take its output.
        sides: Operators that take its side outputs, by tag.
        hands_on: Whether Flink runs it in one chain with the next operator, the only one that takes its output.
    """

    operator: Operator
    next: tuple[ChainedOperator, ...] = ()
    sides: Mapping[str, tuple[ChainedOperator, ...]] = FrozenMap()
    hands_on: bool = False

    def one_chain(self) -> Iterator[ChainedOperator]:
        """Yield this operator and those that run in one chain with it; all are ``ElementOperator``."""
        stage = self
        yield stage
        while stage.hands_on:
            (stage,) = stage.next
            yield stage


@final
@attrs.define(eq=False)
class OperatorChain:
    """A chain of operators, opened for one subtask.

    Args:
        stages: First operators, each with those that follow.
        before: Operators that are applied before the stages.
        apart: Stage that only ``push_to`` reaches.
        sides: First operators of side outputs, by tag, if the operator before the chain has side outputs.
        is_handed_on: Whether Flink runs the operator before the chain in one chain with the only stage.
    """

    stages: tuple[ChainedOperator, ...]
    before: tuple[Operator, ...] = ()
    apart: ChainedOperator | None = None
    sides: Mapping[str, tuple[ChainedOperator, ...]] = FrozenMap()
    is_handed_on: bool = False
    _metrics: dict[Operator, OperatorMetrics] = attrs.field(factory=dict, init=False)
    _element_chains: dict[ChainedOperator, ElementChain] = attrs.field(factory=dict, init=False)

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
        if stage.hands_on:
            out = applied(self.element_chain(stage), batch, place)
            self.spread_chained(stage, out, place)
        else:
            out = applied(stage.operator, batch, place)
            self._spread_output(stage, [(stage.operator, len(batch.values))], out, place)

    def element_chain(self, first: ChainedOperator) -> ElementChain:
        """Return the operators of one chain, given the first of them."""
        if first not in self._element_chains:
            operators = [cast("ElementOperator", stage.operator) for stage in first.one_chain()]
            self._element_chains[first] = ElementChain(operators, drops_side_outputs=self.is_handed_on)
        return self._element_chains[first]

    def spread_chained(self, first: ChainedOperator, batch: Batch, place: Place) -> int:
        """Push the output of an ``element_chain`` to the next stages; return how many elements the chain has taken."""
        *_, last = first.one_chain()
        taken = list(self.element_chain(first).drain_counts())
        self._spread_output(last, taken, batch, place)
        return taken[0][1]

    def _spread_output(
        self, last: ChainedOperator, taken: Iterable[tuple[Operator, int]], out: Batch, place: Place
    ) -> None:
        """Count the elements that operators have taken, and push the output of the last one to the next stages."""
        operators, counts = zip(*taken, strict=True)
        for operator, (elements_in, elements_out) in zip(operators, pairwise((*counts, len(out.values))), strict=True):
            self._metrics[operator].records_in.inc(elements_in)
            self._metrics[operator].records_out.inc(elements_out)
        self.spread(out, last.next, last.sides if last.operator.has_side_outputs else None, place)

    def spread(
        self,
        batch: Batch,
        following: Sequence[ChainedOperator],
        sides: Mapping[str, Sequence[ChainedOperator]] | None,
        place: Place,
    ) -> None:
        """Push output to the next stages; with ``sides``, tagged elements go to their side output or are dropped."""
        main, aside = (batch, {}) if sides is None else parted(batch)
        self._push_to_each(following, main, place)
        for tag, tagged in aside.items():
            self._push_to_each((sides or {}).get(tag, ()), tagged, place)

    def _push_to_each(self, stages: Sequence[ChainedOperator], batch: Batch, place: Place) -> None:
        """Push elements to stages, each of which may change them: all but the last get copies."""
        for stage in stages[:-1]:
            self.push_to(stage, batch._replace(values=detached_values(batch.values)), place)
        for stage in stages[-1:]:
            self.push_to(stage, batch, place)

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


def applied(operator: Operator | ElementChain, batch: Batch, place: Place) -> Batch:
    """Apply an operator to a batch.

    Raises:
        JobError: It failed on an element; the error names its record.
    """
    NOTE.enter(f"operator {operator.name!r}", lambda index: place(batch.origin[index]))
    try:
        out = operator.apply(batch)
    except ElementError as error:
        where = place(batch.origin[error.index])
        if isinstance(error.__cause__, ChainedFunctionError):
            raise error.__cause__.failure(where) from error
        raise operator.failure(batch.values[error.index], where, error.__cause__) from error
    NOTE.leave()
    return out


def _operators(stages: tuple[ChainedOperator, ...]) -> Iterator[Operator]:
    for stage in stages:
        yield stage.operator
        yield from _operators((*stage.next, *chain.from_iterable(stage.sides.values())))
