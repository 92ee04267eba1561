"""Operators of a chain on a worker, from batches of elements to batches of elements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NamedTuple, final

import attrs

from kafkastream.errors import JobError
from kafkastream.metrics.values import OperatorScope
from kafkastream.model.common.stream_functions import (
    Function,
    method_of,
    overrides_close,
)
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.spark.worker.batches import Batch
from kafkastream.spark.worker.failures import element_failed
from kafkastream.spark.worker.reports import Report

__all__ = [
    "Operator",
    "PresentRows",
    "TaskScope",
    "UserOperator",
    "flinks_times",
]

_NO_TIMESTAMP = -(2**63)  # Flink's TimestampAssigner.NO_TIMESTAMP


class TaskScope(NamedTuple):
    """Scope of a task in a query.

    Args:
        origin: Origin of its records: source and partition.
        split: Partition, for watermarks; empty if there is none.
    """

    origin: str
    split: str = ""


@attrs.define(eq=False)
class Operator(ABC):
    """Operator of a chain; ``parallelism`` is its own one, if set, and ``scope`` that of its metrics."""

    name: str
    parallelism: int | None = attrs.field(default=None, kw_only=True)
    scope: OperatorScope = attrs.field(factory=OperatorScope, kw_only=True)

    has_side_outputs: ClassVar[bool] = False
    """Whether the output may have pairs of a tag and an element, for side outputs."""
    has_metrics: ClassVar[bool] = True
    """Whether it is an operator of the program, which has metrics."""

    @abstractmethod
    def apply(self, batch: Batch) -> Batch:
        """Process a batch, and return the output."""

    def open(self, context: RuntimeContext) -> None:
        """Prepare for elements."""

    def begin(self, task: TaskScope) -> None:
        """Begin a task; its elements come after the micro-batch's watermark, unless its input is marked as earlier."""

    def behind_watermark(self, *, is_behind: bool) -> None:
        """Note whether the next elements come after the micro-batch's watermark."""

    def drain(self) -> Iterator[Report]:
        """Return the reports of the batches so far."""
        return iter(())

    def close(self) -> None:
        """Close the function."""

    def failure(self, element: object, position: str, error: BaseException | None) -> JobError:
        """Return the user's error if this operator fails on an element."""
        return element_failed(self.name, element, position, error)

    @property
    def overrides_close(self) -> bool:
        """True if the function overrides ``close``."""
        return False


@attrs.define(eq=False)
class UserOperator(Operator):
    """Operator that calls a user's function."""

    function: Any

    def open(self, context: RuntimeContext) -> None:
        """Open the function."""
        if isinstance(self.function, Function):
            self.function.open(context)

    def close(self) -> None:
        """Close the function."""
        if isinstance(self.function, Function):
            self.function.close()

    @property
    def overrides_close(self) -> bool:
        """True if the function overrides ``close``."""
        return overrides_close(self.function)

    def call(self, kind: type[Function], method: str) -> Callable[..., Any]:
        """Return the plain function to call per element."""
        return method_of(self.function, kind, method)


@final
@attrs.define(eq=False)
class PresentRows(Operator):
    """Drops None, which marks filtered rows that only carry event time."""

    has_metrics = False

    def apply(self, batch: Batch) -> Batch:
        """Return the elements that are not None."""
        if None not in batch.values:
            return batch
        return batch.rows([index for index, value in enumerate(batch.values) if value is not None])


def flinks_times(batch: Batch) -> Iterator[int]:
    """Return the timestamps of a batch for assigners and generators: ``NO_TIMESTAMP`` for None."""
    return (_NO_TIMESTAMP if timestamp is None else timestamp for timestamp in batch.timestamps)
