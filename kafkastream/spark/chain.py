"""A chain of operators on a worker: decode, functions and sinks in one pass over a task's Arrow batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

import attrs
import pyarrow as pa

from kafkastream.spark.batches import Batch, ElementError
from kafkastream.spark.failures import function_failed, not_decoded
from kafkastream.spark.operators import Operator
from kafkastream.spark.records import Decoder
from kafkastream.spark.reports import Report
from kafkastream.spark.sinks import SinkOperator
from kafkastream.spec.functions import RuntimeContext

__all__ = ["Chain", "Stage"]


@final
@attrs.define(eq=False)
class Stage:
    """An operator and the stages that take what comes out of it."""

    operator: Operator
    next: tuple[Stage, ...] = ()


@final
@attrs.define(eq=False)
class Chain:
    """All that happens to the records of one source, down to the sinks."""

    name: str
    decoder: Decoder
    stages: tuple[Stage, ...]

    def operators(self) -> tuple[Operator, ...]:
        """Every operator once; one that is reached on two ways is one operator."""
        return tuple(dict.fromkeys(_operators(self.stages)))

    @property
    def sinks(self) -> tuple[SinkOperator, ...]:
        """The sinks among the operators."""
        return tuple(operator for operator in self.operators() if isinstance(operator, SinkOperator))

    @property
    def reusable(self) -> bool:
        """Whether the opened functions may serve the next task: not when one wants to be closed."""
        return not any(operator.overrides_close for operator in self.operators())

    def open(self, subtask: int, parallelism: int, attempt: int) -> None:
        """Open the source's schema and every operator.

        Raises:
            UserFunctionError: An ``open`` raised.
        """
        with function_failed(self.name, "open"):
            self.decoder.open()
        for operator in self.operators():
            own = operator.parallelism or parallelism
            context = RuntimeContext(task_name=operator.name, subtask=subtask % own, parallelism=own, attempt=attempt)
            with function_failed(operator.name, "open"):
                operator.open(context)

    def process(self, arrow: pa.RecordBatch) -> None:
        """Take the records of one Arrow batch through all operators.

        Raises:
            JobError: An element failed, with the position of its record.
        """
        try:
            batch = self.decoder.decode(arrow)
        except ElementError as error:
            raise not_decoded(self.name, self.decoder.position(arrow, error.index), error.__cause__) from error
        for stage in self.stages:
            self._push(stage, batch, arrow)

    def finish(self) -> Iterator[Report]:
        """End the task: functions with a ``close`` of their own are closed, then sinks have written.

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

    def _push(self, stage: Stage, batch: Batch, arrow: pa.RecordBatch) -> None:
        if not batch.values:
            return
        try:
            out = stage.operator.apply(batch)
        except ElementError as error:
            position = self.decoder.position(arrow, batch.origin[error.index])
            raise stage.operator.failure(batch.values[error.index], position, error.__cause__) from error
        for following in stage.next:
            self._push(following, out, arrow)


def _operators(stages: tuple[Stage, ...]) -> Iterator[Operator]:
    for stage in stages:
        yield stage.operator
        yield from _operators(stage.next)
