"""Logs records that cannot be read, on a worker."""

from __future__ import annotations

import logging
from typing import final

import attrs

from kafkastream.cdc.graph import DirtyDataLog
from kafkastream.model.connectors.dead_letter_topics import DeadLetter
from kafkastream.printable import one_line
from kafkastream.spark.worker.batches import Batch
from kafkastream.spark.worker.chain_sinks import SinkOperator, SinkPlace, sink_operator

__all__ = ["DirtyDataLogger"]

log = logging.getLogger("kafkastream.dirty-data")

_SHOWN_BYTES = 1000


@final
@attrs.define(eq=False)
class DirtyDataLogger(SinkOperator):
    """Logs each unreadable record with its position and the reason."""

    def write(self, batch: Batch) -> None:
        """Log records."""
        for letter in batch.values:
            log.warning("skipped: %s", _told(letter))


def _told(letter: DeadLetter) -> str:
    record = letter.record
    place = f"topic {record.topic}, partition {record.partition}, offset {record.offset}"
    return f"{place}: {one_line(letter.reason)}; key {_shown(record.key)}, value {_shown(record.value)}"


def _shown(content: bytes | None) -> str:
    if content is None:
        return "null"
    text = one_line(content[:_SHOWN_BYTES].decode(errors="backslashreplace"))
    return f"{text} …" if len(content) > _SHOWN_BYTES else text


@sink_operator.register
def _(sink: DirtyDataLog, place: SinkPlace) -> SinkOperator:
    return DirtyDataLogger(place.name)
