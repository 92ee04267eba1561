"""A subtask of a keyed operator on a worker: the operator and the chain that takes its output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import final

import attrs

from kafkastream.errors import UserFunctionError
from kafkastream.metrics.values import OperatorScope
from kafkastream.model.common.error_location import located
from kafkastream.model.common.stream_functions import overrides_close
from kafkastream.model.common.time import wall_clock_ms
from kafkastream.model.common.value_printing import shown
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.operators.state.state_backend import KeyedStateBackend
from kafkastream.operators.state.state_pickles import loads
from kafkastream.operators.stream.keyed_operators import CallError, Emitted, KeyedElements, KeyedOperator
from kafkastream.spark.crash_notes import NOTE, WatchedList
from kafkastream.spark.exchange.shuffle_messages import OperatorInput
from kafkastream.spark.worker.batches import Batch
from kafkastream.spark.worker.chained_operators import TaskScope
from kafkastream.spark.worker.element_chain import ChainedFunctionError
from kafkastream.spark.worker.failures import element_failed, function_failed, timer_failed
from kafkastream.spark.worker.operator_chain import OperatorChain
from kafkastream.spark.worker.reports import Report, ReportKind
from kafkastream.spark.worker.task_metrics import OperatorMetrics

__all__ = ["KeyedTask", "state_name"]


def state_name(identity: str) -> bytes:
    """Prefix of the names of an operator's states."""
    return f"{identity}/".encode()


@final
@attrs.define(eq=False)
class KeyedTask:
    """A keyed operator and the chain after it.

    Args:
        name: The operator's name.
        identity: Stable identity, which names its state.
        operator: The keyed operator.
        chain: Takes the output.
        scope: Scope of its metrics.
        has_keys: Whether elements have keys, so that functions have keyed state.
    """

    name: str
    identity: str
    operator: KeyedOperator
    chain: OperatorChain
    scope: OperatorScope
    has_keys: bool = True
    _metrics: OperatorMetrics | None = attrs.field(default=None, init=False)
    _subtask: int = attrs.field(default=0, init=False)

    def open(self, context: RuntimeContext) -> None:
        """Open the operator and the chain.

        Raises:
            UserFunctionError: An ``open`` raised.
        """
        self._subtask = context.subtask
        self._metrics = OperatorMetrics(self.scope, context.subtask)
        for name in ("currentInputWatermark", "currentOutputWatermark"):  # one and the same, as in most of Flink's
            self._metrics.group.gauge(name, lambda: self.operator.keyed_context.watermark)
        cells = self.operator.keyed_context.cell if self.has_keys else None
        own = attrs.evolve(context, task_name=self.name, metrics=self._metrics.group, cells=cells)
        if self.chain.is_handed_on:
            self.operator.chained = self.chain.element_chain(self.chain.stages[0])
        with function_failed(self.name, "open"):
            self.operator.open(own)
        self.chain.open(context)

    @property
    def reusable(self) -> bool:
        """True if the opened functions can be reused in the next micro-batch: not if one overrides ``close``."""
        return self.chain.reusable and not any(map(overrides_close, self.operator.functions))

    def run(self, backend: KeyedStateBackend, task: TaskScope, arrived: OperatorInput) -> Iterator[Report]:
        """Process a micro-batch: first the watermark of the earlier ones, then its elements; then write state.

        Raises:
            JobError: A function failed.
            UserFunctionError: A ``close`` raised.
            DefinitionError: A state's descriptor differs from that of an earlier run, or a value cannot be stored.
        """
        assert self._metrics is not None
        self.chain.begin(task)
        scope = self.operator.keyed_context
        with located(f"operator {self.name!r}"):
            scope.begin(backend, state_name(self.identity))
        now = wall_clock_ms() if arrived.marks is None else arrived.marks.now
        self.chain.behind_watermark(is_behind=False)
        yield from self._take(arrived.before)
        yield from self._advance({} if arrived.marks is None else arrived.marks.event_times, now)
        self.chain.behind_watermark(is_behind=True)
        yield from self._take(arrived.behind)
        yield from self._advance({} if arrived.marks is None else arrived.marks.last, now)
        due = scope.processing_timers.next
        with located(f"operator {self.name!r}"):
            scope.end()
        self._close()
        yield from self.chain.finish()
        yield Report(ReportKind.TIMERS, self.scope.node, (self._subtask, due))
        yield Report(ReportKind.METRICS, self.scope.node, [self._metrics.changes(), *self.chain.changes()])

    def abandon(self) -> None:
        """End a task that has failed."""
        self.chain.abandon()

    def _close(self) -> None:
        for function in filter(overrides_close, self.operator.functions):
            with function_failed(self.name, "close"):
                function.close()

    def _take(self, arrived: Iterable[KeyedElements]) -> Iterator[Report]:
        assert self._metrics is not None
        for elements in arrived:
            self._metrics.records_in.inc(len(elements.values))
            if self.has_keys:
                self.operator.keyed_context.load(elements.keys)
            NOTE.enter(f"operator {self.name!r}", _by_key(elements.keys))
            with self._told_by_name():
                out = self.operator.elements(_watched(elements))
            yield from self._emit(out)

    def _advance(self, watermarks: Mapping[str, int], now: int) -> Iterator[Report]:
        NOTE.enter(f"the timers of operator {self.name!r}")
        with self._told_by_name():
            out = self.operator.advance(watermarks.get(self.identity, self.operator.keyed_context.watermark), now)
        yield from self._emit(out)

    def _emit(self, out: Emitted) -> Iterator[Report]:
        """Push the output through the chain."""
        assert self._metrics is not None
        batch = Batch(out.values, out.timestamps, range(len(out.values)))
        if self.chain.is_handed_on:
            taken = self.chain.spread_chained(self.chain.stages[0], batch, self._place)
        else:
            taken = len(out.values)
            self.chain.spread(batch, self.chain.stages, self.chain.sides, self._place)
        self._metrics.records_out.inc(taken)
        yield from self.chain.drain()

    def _place(self, _: int) -> str:
        return f"what came out of operator {self.name!r}"

    @contextmanager
    def _told_by_name(self) -> Iterator[None]:
        try:
            yield
        except ChainedFunctionError as error:
            raise error.failure(self._place(0)) from error
        except CallError as error:
            if error.timer is not None:
                what = f"on_timer of operator {self.name!r}"
                raise timer_failed(what, f"key {shown(error.key)}, timer {error.timer}", error.__cause__) from error
            if isinstance(error.__cause__, UserFunctionError):
                raise _with_row(error.__cause__, error) from error
            raise element_failed(self.name, error.element, f"key {shown(error.key)}", error.__cause__) from error


def _with_row(failed: UserFunctionError, error: CallError) -> UserFunctionError:
    """Return the error of a function of SQL with the key and the row that it was called for."""
    where = f"key {shown(error.key)}; row {shown(error.element)}"
    return UserFunctionError(failed.what, where=f"{failed.where}; {where}" if failed.where else where, now=failed.now)


def _watched(elements: KeyedElements) -> KeyedElements:
    return elements._replace(values=WatchedList(elements.values)) if NOTE.is_repeated else elements


def _by_key(keys: Sequence[bytes]) -> Callable[[int], str]:
    """Return a function from the index of an element to its key, for crash notes."""
    return lambda index: f"key {shown(loads(keys[index]))}"
