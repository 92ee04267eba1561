"""Sinks of a chain on a worker: their base class, and those for the terminal and the calling program."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, NamedTuple, final

import attrs
import pyarrow as pa

from kafkastream.model.common.endpoints import Sink
from kafkastream.model.common.types import TypeInformation
from kafkastream.model.common.value_printing import printed
from kafkastream.model.connectors.sink_writer import Committer, CommitterInitContext
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.model.graph.job_graph import CollectSink, DiscardingSink, PrintSink
from kafkastream.spark.worker.batches import Batch
from kafkastream.spark.worker.chained_operators import Operator
from kafkastream.spark.worker.registry import Registry, unregistered
from kafkastream.spark.worker.reports import Report, ReportKind
from kafkastream.spark.worker.worker_cache import JobAttempt

__all__ = [
    "CollectOperator",
    "DiscardOperator",
    "PrintOperator",
    "SinkOperator",
    "SinkPlace",
    "sink_committer",
    "sink_operator",
]

_NOTHING = Batch((), (), ())


class SinkPlace(NamedTuple):
    """Place of a sink in a job.

    Attributes:
        name: Name of its node.
        node: Number of its node.
        run: Attempt that the tasks belong to.
        identity: Identity of the sink among the job's sinks, stable across restarts.
        element_type: Declared type of its elements, if any.
        ends: Whether the job's input is bounded.
        is_prompt: Whether records leave at once, in latency mode.
    """

    name: str
    node: int
    run: JobAttempt
    identity: str
    element_type: TypeInformation[Any] | None = None
    ends: bool = False
    is_prompt: bool = False


@Registry
def sink_operator(sink: Sink, place: SinkPlace) -> SinkOperator:
    """Return the operator that writes to a sink on a worker, which the sink's ``engine_module`` registers for its class.

    Args:
        sink: The sink as the user defined it.
        place: Its place in the job.

    Raises:
        DefinitionError: No operator is registered for the class.
    """
    raise unregistered("sink", type(sink), "an operator with @sink_operator.register")


@Registry
def sink_committer(sink: Sink, context: CommitterInitContext) -> Committer[Any]:
    """Return the committer of a sink whose operator reports committables; its ``engine_module`` registers it.

    Args:
        sink: The sink as the user defined it.
        context: Identity of the sink.

    Raises:
        DefinitionError: No committer is registered for the class.
    """
    raise unregistered("committables of sink", type(sink), "a committer with @sink_committer.register")


@attrs.define(eq=False)
class SinkOperator(Operator):
    """Operator without output; its messages to the driver are drained and reported."""

    def arrives(self, arrow: pa.RecordBatch) -> None:
        """Note the source records of the next batch."""

    @abstractmethod
    def write(self, batch: Batch) -> None:
        """Write a batch."""

    def apply(self, batch: Batch) -> Batch:
        """Write the batch; there is no output."""
        self.write(batch)
        return _NOTHING

    def stops(self, offset: int) -> None:
        """Note that the task ends before this offset of its partition; a later task has the rest."""

    def publish(self, offset: int) -> None:
        """Make the output of the records before this offset of the running partition visible, within an epoch."""

    def flush(self) -> None:
        """Wait within an epoch until the output so far has been delivered."""

    def abandon(self) -> None:
        """End a task that has failed."""

    def finish(self) -> Iterator[Report]:
        """End the task: flush the output, and return the last reports."""
        return self.drain()


@attrs.define(eq=False)
class _ReportingOperator(SinkOperator):
    node: int
    _pending: list[Any] = attrs.field(factory=list, init=False)

    def _take(self, kind: ReportKind) -> Iterator[Report]:
        if self._pending:
            yield Report(kind, self.node, self._pending)
            self._pending = []


@final
@attrs.define(eq=False)
class CollectOperator(_ReportingOperator):
    """Sends elements to the calling program."""

    def write(self, batch: Batch) -> None:
        """Keep the elements for the next report."""
        self._pending.extend(batch.values)

    def drain(self) -> Iterator[Report]:
        """Return the elements so far."""
        return self._take(ReportKind.ELEMENTS)


@final
@attrs.define(eq=False)
class DiscardOperator(SinkOperator):
    """Discards elements."""

    def write(self, batch: Batch) -> None:
        """Do nothing."""


@final
@attrs.define(eq=False)
class PrintOperator(_ReportingOperator):
    """Sends lines to the program's standard output or error, in Flink's format."""

    sink: PrintSink
    output_type: TypeInformation[Any] | None
    _prefix: str = attrs.field(default="", init=False)

    def open(self, context: RuntimeContext) -> None:
        """Build the prefix: identifier, and the subtask if there are several (Flink's PrintSinkOutputWriter)."""
        identifier = self.sink.identifier
        subtask = str(context.subtask + 1) if context.parallelism > 1 else ""
        prefix = ":".join(filter(None, (identifier, subtask)))
        self._prefix = f"{prefix}> " if prefix else ""

    def write(self, batch: Batch) -> None:
        """Format the elements."""
        self._pending.extend(self._prefix + printed(value, self.output_type) for value in batch.values)

    def drain(self) -> Iterator[Report]:
        """Return the lines so far."""
        return self._take(ReportKind.LINES)


@sink_operator.register
def _(sink: PrintSink, place: SinkPlace) -> SinkOperator:
    return PrintOperator(place.name, place.node, sink, place.element_type)


@sink_operator.register
def _(sink: CollectSink, place: SinkPlace) -> SinkOperator:
    return CollectOperator(place.name, place.node)


@sink_operator.register
def _(sink: DiscardingSink, place: SinkPlace) -> SinkOperator:
    return DiscardOperator(place.name)
