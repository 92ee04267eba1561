"""Operators of a chain on a worker, from batches of elements to batches of elements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain, compress
from operator import itemgetter
from typing import Any, ClassVar, NamedTuple, final

import attrs

from kafkastream.errors import JobError
from kafkastream.metrics.values import OperatorScope
from kafkastream.model.common.stream_functions import (
    FilterFunction,
    FlatMapFunction,
    Function,
    MapFunction,
    iterated,
    method_of,
    overrides_close,
)
from kafkastream.model.common.time import as_timestamp
from kafkastream.model.common.watermark_strategy import WatermarkStrategy
from kafkastream.model.functions.process_functions import ProcessFunction
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.model.graph.job_graph import OperatorKind, OperatorNode
from kafkastream.spark.worker.async_calls import AsyncCalls
from kafkastream.spark.worker.batches import Batch, each
from kafkastream.spark.worker.failures import element_failed
from kafkastream.spark.worker.reports import Report

__all__ = [
    "Operator",
    "PresentRows",
    "TaskScope",
    "TimestampOperator",
    "flinks_times",
    "timestamp_operators",
    "user_operator",
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
class _UserOperator(Operator):
    function: Any

    def open(self, context: RuntimeContext) -> None:
        if isinstance(self.function, Function):
            self.function.open(context)

    def close(self) -> None:
        if isinstance(self.function, Function):
            self.function.close()

    @property
    def overrides_close(self) -> bool:
        return overrides_close(self.function)

    def call(self, kind: type[Function], method: str) -> Callable[..., Any]:
        """Return the plain function to call per element."""
        return method_of(self.function, kind, method)


@final
class MapOperator(_UserOperator):
    """``MapFunction``: one output element per element."""

    def apply(self, batch: Batch) -> Batch:
        """Call the function on each element."""
        return batch._replace(values=each(self.call(MapFunction, "map"), batch.values))


@final
class FilterOperator(_UserOperator):
    """``FilterFunction``: keeps or drops elements."""

    def apply(self, batch: Batch) -> Batch:
        """Return the elements for which the function is true."""
        kept = each(self.call(FilterFunction, "filter"), batch.values)
        return Batch(*(list(compress(column, kept)) for column in batch))


@final
class FlatMapOperator(_UserOperator):
    """``FlatMapFunction``: any number of output elements per element."""

    def apply(self, batch: Batch) -> Batch:
        """Call the function on each element, and concatenate the results."""
        function = self.call(FlatMapFunction, "flat_map")
        return _flat(batch, each(lambda value: tuple(iterated(function(value))), batch.values))


@final
class ProcessOperator(_UserOperator):
    """``ProcessFunction``: any number of output elements per element, with access to its timestamp."""

    has_side_outputs = True

    def apply(self, batch: Batch) -> Batch:
        """Call the function on each element with a context."""
        context, process = ProcessFunction.Context(), self.function.process_element

        def one(value: Any, timestamp: int | None) -> tuple[Any, ...]:
            context._timestamp = timestamp
            results = tuple(iterated(process(value, context)))
            return (*results, *context._taken_aside()) if context._aside else results

        return _flat(batch, each(one, batch.values, batch.timestamps))


@final
@attrs.define(eq=False)
class AsyncOperator(_UserOperator):
    """``AsyncFunction``: any number of output elements per element, many elements in flight."""

    _calls: AsyncCalls | None = attrs.field(default=None, init=False)

    def open(self, context: RuntimeContext) -> None:
        """Open the function, and an event loop for its invocations."""
        super().open(context)
        self._calls = AsyncCalls(self.function)

    def apply(self, batch: Batch) -> Batch:
        """Invoke the function on each element, and wait for all results."""
        assert self._calls is not None
        outcomes = self._calls.outcomes(batch.values)
        if self.function.is_ordered:
            outcomes.sort(key=itemgetter(0))
        return _flat(batch.rows([index for index, _ in outcomes]), [results for _, results in outcomes])

    def close(self) -> None:
        """Close the function and the event loop."""
        super().close()
        if self._calls is not None:
            self._calls.close()


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


class TimestampOperator(_UserOperator):
    """Assigns event time to elements by a strategy's timestamp assigner."""

    def apply(self, batch: Batch) -> Batch:
        """Replace the timestamps."""
        extract = self.function.timestamp_assigner.extract_timestamp
        return batch._replace(timestamps=_timestamps(each(extract, batch.values, flinks_times(batch))))


def flinks_times(batch: Batch) -> Iterator[int]:
    """Return the timestamps of a batch for assigners and generators: ``NO_TIMESTAMP`` for None."""
    return (_NO_TIMESTAMP if timestamp is None else timestamp for timestamp in batch.timestamps)


def _timestamps(found: list[Any]) -> list[int]:
    """Return an assigner's timestamps, checked to be 64-bit integers; one by one only if the check fails."""
    if set(map(type, found)) <= {int} and min(found, default=0) >= -(2**63) and max(found, default=0) < 2**63:
        return found
    return each(partial(as_timestamp, "a timestamp"), found)


def _flat(batch: Batch, results: list[tuple[Any, ...]]) -> Batch:
    counts = list(map(len, results))

    def repeated(column: Iterable[Any]) -> list[Any]:
        return [item for item, count in zip(column, counts, strict=True) for _ in range(count)]

    return Batch(list(chain.from_iterable(results)), repeated(batch.timestamps), repeated(batch.origin))


_OPERATORS: Mapping[OperatorKind, type[_UserOperator]] = {
    OperatorKind.MAP: MapOperator,
    OperatorKind.FLAT_MAP: FlatMapOperator,
    OperatorKind.FILTER: FilterOperator,
    OperatorKind.PROCESS: ProcessOperator,
    OperatorKind.ASYNC_WAIT: AsyncOperator,
    OperatorKind.TIMESTAMPS: TimestampOperator,
}


def user_operator(node: OperatorNode) -> Operator | None:
    """Return the operator of a node; None if it changes nothing (a strategy without an assigner)."""
    return _OPERATORS[node.kind](node.name, node.function) if _has_effect(node.function) else None


def timestamp_operators(name: str, strategy: WatermarkStrategy[Any]) -> tuple[Operator, ...]:
    """Return the operator of a source's timestamp assigner, if any."""
    return (TimestampOperator(name, strategy),) if _has_effect(strategy) else ()


def _has_effect(function: object) -> bool:
    return not isinstance(function, WatermarkStrategy) or function.timestamp_assigner is not None
