"""Operators of a chain that call the functions of a program: map, filter, flat_map, process, async, timestamps."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from operator import itemgetter
from typing import Any, final

import attrs

from kafkastream.model.common.mutable_values import FIXED
from kafkastream.model.common.output_tag import detached_element
from kafkastream.model.common.stream_functions import FilterFunction, FlatMapFunction, MapFunction, iterated
from kafkastream.model.common.time import as_timestamp
from kafkastream.model.common.watermark_strategy import WatermarkStrategy
from kafkastream.model.functions.process_functions import ProcessFunction
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.model.graph.job_graph import OperatorKind, OperatorNode
from kafkastream.spark.worker.async_calls import AsyncCalls
from kafkastream.spark.worker.batches import Batch, each, each_detached, repeat_each
from kafkastream.spark.worker.chained_operators import Operator, UserOperator, flinks_times
from kafkastream.spark.worker.element_chain import ChainedFunctionError, ElementClock, ElementOperator, Emit

__all__ = ["TimestampOperator", "timestamp_operators", "user_operator"]


@final
class MapOperator(ElementOperator):
    """``MapFunction``: one output element per element."""

    is_one_to_one = True

    def link(self, clock: ElementClock, emit: Emit) -> Emit:
        """Pass on the function's result."""
        function = self.call(MapFunction, "map")

        def process(element: Any) -> None:
            try:
                result = function(element)
            except BaseException as error:
                raise ChainedFunctionError(self, element) from error
            emit(result)

        return process

    def apply(self, batch: Batch) -> Batch:
        """Call the function on each element."""
        return batch._replace(values=each_detached(self.call(MapFunction, "map"), batch.values))


@final
class FilterOperator(ElementOperator):
    """``FilterFunction``: keeps or drops elements."""

    def link(self, clock: ElementClock, emit: Emit) -> Emit:
        """Pass on the elements for which the function is true."""
        function = self.call(FilterFunction, "filter")

        def process(element: Any) -> None:
            try:
                passes = function(element)
            except BaseException as error:
                raise ChainedFunctionError(self, element) from error
            if passes:
                emit(element)

        return process


class ElementsOperator(ElementOperator):
    """Operator whose function gives any number of output elements per element."""

    @abstractmethod
    def results_of(self, clock: ElementClock) -> Callable[[Any], Iterable[Any] | None]:
        """Return the callable that gives the results of an element."""

    def link(self, clock: ElementClock, emit: Emit) -> Emit:
        """Pass on each result as soon as the function gives it."""
        results_of = self.results_of(clock)

        def process(element: Any) -> None:
            try:
                for result in iterated(results_of(element)):
                    emit(result)
            except ChainedFunctionError:  # of a later function
                raise
            except BaseException as error:
                raise ChainedFunctionError(self, element) from error

        return process

    def apply(self, batch: Batch) -> Batch:
        """Call the function on each element, and concatenate the results."""
        clock, results = ElementClock(), list[Any]()
        results_of = self.results_of(clock)

        def count(element: Any, timestamp: int | None) -> int:
            before, clock.timestamp = len(results), timestamp
            for result in iterated(results_of(element)):
                results.append(result if type(result) in FIXED else detached_element(result))
            return len(results) - before

        counts = each(count, batch.values, batch.timestamps)
        return Batch(results, repeat_each(batch.timestamps, counts), repeat_each(batch.origin, counts))


@final
class FlatMapOperator(ElementsOperator):
    """``FlatMapFunction``: any number of output elements per element."""

    def results_of(self, clock: ElementClock) -> Callable[[Any], Iterable[Any] | None]:
        """Return the function."""
        return self.call(FlatMapFunction, "flat_map")


@final
class ProcessOperator(ElementsOperator):
    """``ProcessFunction``: any number of output elements per element, with access to its timestamp."""

    has_side_outputs = True

    def results_of(self, clock: ElementClock) -> Callable[[Any], Iterable[Any] | None]:
        """Return a callable that calls the function with a context."""
        context, function = ProcessFunction.Context(), self.function.process_element

        def process_element(element: Any) -> Iterator[Any]:
            context._timestamp = clock.timestamp
            yield from iterated(function(element, context))
            if context._aside:
                yield from context._taken_aside()

        return process_element


@final
@attrs.define(eq=False)
class AsyncOperator(UserOperator):
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
        rows, counts = batch.rows([index for index, _ in outcomes]), [len(results) for _, results in outcomes]
        values = list(chain.from_iterable(results for _, results in outcomes))
        return Batch(values, repeat_each(rows.timestamps, counts), repeat_each(rows.origin, counts))

    def close(self) -> None:
        """Close the function and the event loop."""
        super().close()
        if self._calls is not None:
            self._calls.close()


class TimestampOperator(UserOperator):
    """Assigns event time to elements by a strategy's timestamp assigner."""

    def apply(self, batch: Batch) -> Batch:
        """Replace the timestamps."""
        extract = self.function.timestamp_assigner.extract_timestamp
        return batch._replace(timestamps=_timestamps(each(extract, batch.values, flinks_times(batch))))


def _timestamps(found: list[Any]) -> list[int]:
    """Return an assigner's timestamps, checked to be 64-bit integers; one by one only if the check fails."""
    if set(map(type, found)) <= {int} and min(found, default=0) >= -(2**63) and max(found, default=0) < 2**63:
        return found
    return each(partial(as_timestamp, "a timestamp"), found)


_OPERATORS: Mapping[OperatorKind, type[UserOperator]] = {
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
