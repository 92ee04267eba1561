"""The operator: how a task on a worker writes, registered by the class of the value."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import final

import attrs

from kafkastream.spark.worker.batch_context import BatchContext
from kafkastream.spark.worker.batches import Batch, each
from kafkastream.spark.worker.chain_sinks import SinkOperator, SinkPlace, sink_operator
from kafkastream.spark.worker.chained_operators import TaskScope
from kafkastream.spark.worker.reports import Report
from tests.toy_sink.line_sink import JsonLineSink

__all__: list[str] = []


@final
@attrs.define(eq=False)
class _LineOperator(SinkOperator):
    directory: Path
    identity: str
    _file: Path = attrs.field(factory=Path, init=False)
    _lines: list[str] = attrs.field(factory=list, init=False)

    def begin(self, task: TaskScope) -> None:
        """Name the file by the job, the micro-batch and the partition: they are the same when the task runs again."""
        batch = BatchContext.of_task() or BatchContext()
        self._file = self.directory / f"{batch.slots}-{self.identity}-{batch.batch:08}-{task.origin}.jsonl"
        self._lines = []

    def write(self, batch: Batch) -> None:
        """Keep the lines; ``each`` names the element that cannot be written."""
        self._lines += each(json.dumps, batch.values)

    def finish(self) -> Iterator[Report]:
        """Write the file as a whole: whoever reads the directory sees all of it, or none."""
        if self._lines:
            self.directory.mkdir(parents=True, exist_ok=True)
            hidden = self._file.with_name(f".{self._file.name}")
            hidden.write_text("".join(f"{line}\n" for line in self._lines))
            hidden.replace(self._file)
        return self.drain()


@sink_operator.register
def _(sink: JsonLineSink, place: SinkPlace) -> SinkOperator:
    return _LineOperator(place.name, Path(sink.directory), place.identity)
