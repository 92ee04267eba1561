"""The steps of programs on a broker: writes them, and sorts in what has come of them."""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from typing import Any, final

import attrs

from kafkastream.testing import KafkaBroker, Record
from tests.differential.program import SEPARATOR, WAIT, WAIT_S, Program

__all__ = ["Feed", "by_stream", "read_topics", "write_topics"]

STEP_MS = 1000


@final
@attrs.define
class Feed:
    """Two topics that all stepped programs of a job share.

    Args:
        kafka: Where they are.
        programs: Whose steps are written.
    """

    kafka: KafkaBroker
    programs: Sequence[Program]
    id: str = attrs.field(factory=lambda: uuid.uuid4().hex[:8])
    seen: int = 0

    @property
    def source(self) -> str:
        """The topic that the programs read."""
        return f"differential-{self.id}-steps"

    @property
    def target(self) -> str:
        """The topic that their lines go to."""
        return f"differential-{self.id}-lines"

    @property
    def steps(self) -> range:
        """The numbers of all steps."""
        return range(max(len(program.steps) for program in self.programs))

    def create(self) -> None:
        """Create both topics; records of long ago stay in them."""
        for topic in (self.source, self.target):
            self.kafka.create_topic(topic, config={"retention.ms": "-1"})

    def delete(self) -> None:
        """Delete both topics."""
        for topic in (self.source, self.target):
            self.kafka.delete_topic(topic)

    def write(self, number: int) -> None:
        """Write the step of this number of all programs that have one."""
        timestamp_ms = (number + 1) * STEP_MS
        records = [
            Record(f"{program} {element}", timestamp_ms=timestamp_ms)
            for program in self.programs
            if number < len(program.steps)
            for element in program.steps[number].replace(WAIT, "").split()
        ]
        if any(WAIT in program.steps[number : number + 1] for program in self.programs):
            time.sleep(WAIT_S)
        self.kafka.produce(self.source, records)

    def waiting(self) -> int:
        """How many lines have come since they were taken last."""
        return len(self._lines()) - self.seen

    def take(self) -> list[str]:
        """The lines that have come since they were taken last."""
        lines = self._lines()
        taken, self.seen = lines[self.seen :], len(lines)
        return taken

    def _lines(self) -> list[str]:
        return [(record.value or b"").decode() for record in self.kafka.consume(self.target)]


def by_stream(lines: Sequence[str]) -> dict[str, dict[str, list[str]]]:
    """Lines sorted by their program, and by the stream that it named."""
    found: dict[str, dict[str, list[str]]] = {}
    for line in sorted(lines, key=_stream_of):
        program, stream, text = line.split(SEPARATOR, 2)
        found.setdefault(program, {}).setdefault(stream, []).append(text)
    return found


def _stream_of(line: str) -> list[str]:
    return line.split(SEPARATOR, 2)[:2]


def write_topics(kafka: KafkaBroker, program: Program, prefix: str = "") -> dict[str, str]:
    """Create a program's topics with their records, and return their names by its labels."""
    names = {label: f"{prefix}{program.name}-{label}" for label in program.topics}
    for label, topic in program.topics.items():
        kafka.create_topic(names[label], topic.partitions, {"retention.ms": "-1"})
        kafka.produce(
            names[label],
            [
                Record(value, key=key, partition=place % topic.partitions, timestamp_ms=(place + 1) * STEP_MS)
                for place, (key, value) in enumerate(topic.records)
            ],
        )
    return names


def read_topics(kafka: KafkaBroker, program: Program, prefix: str = "") -> dict[str, list[str]]:
    """The records of those of a program's topics that were empty, as text."""
    empty = [label for label, topic in program.topics.items() if not topic.records]
    return {label: [_told(one) for one in kafka.consume(f"{prefix}{program.name}-{label}")] for label in empty}


def _told(record: Any) -> str:
    return f"{record.key!r}: {record.value!r} in {record.partition}"
