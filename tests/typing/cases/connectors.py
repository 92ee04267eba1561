"""What is known of the elements of users' sources and sinks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from typing_extensions import reveal_type

from kafkastream.common import Types, WatermarkStrategy
from kafkastream.connect import (
    Committer,
    CommitterInitContext,
    CommittingSinkWriter,
    Sink,
    SinkWriter,
    Source,
    SourceElement,
    SourceReader,
    SourceSplit,
    SplitEnumerator,
    SupportsCommitter,
    WriteContext,
)
from kafkastream.datastream import RuntimeContext, StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()


class Lengths(SinkWriter[str]):
    """Writes text."""

    def write(self, elements: Sequence[str], context: WriteContext) -> None:
        """Reject what is empty."""
        for index, element in enumerate(elements):
            if not element:
                context.reject(index, "empty")  # error: Argument 2 to "reject"


class LengthSink(Sink[str]):
    """Takes text."""

    def create_writer(self, context: RuntimeContext) -> SinkWriter[str]:
        """Return the writer."""
        return Lengths()


class WrongSink(Sink[int]):
    """Takes whole numbers, and its writer text."""

    def create_writer(self, context: RuntimeContext) -> SinkWriter[str]:  # error: "create_writer"
        """Return the writer."""
        return Lengths()


class Staged(CommittingSinkWriter[str, int]):
    """Stages text."""

    def write(self, elements: Sequence[str], context: WriteContext) -> None:
        """Do nothing."""

    def prepare_commit(self) -> Sequence[int]:
        """Return numbers."""
        return [1]


class Numbers(Committer[int]):
    """Commits numbers."""

    def commit(self, committables: Sequence[int], checkpoint_id: int) -> None:
        """Do nothing."""


class StagedSink(Sink[str], SupportsCommitter[int]):
    """Takes text, and commits numbers."""

    def create_writer(self, context: RuntimeContext) -> CommittingSinkWriter[str, int]:
        """Return the writer."""
        return Staged()

    def create_committer(self, context: CommitterInitContext) -> Committer[int]:
        """Return the committer."""
        return Numbers()


class Counting(Source[int], SplitEnumerator, SourceReader[int]):
    """Counts to three."""

    def create_enumerator(self) -> SplitEnumerator:
        """Return this object."""
        return self

    def create_reader(self, context: RuntimeContext) -> SourceReader[int]:
        """Return this object."""
        return self

    def starting_offsets(self) -> Mapping[str, int]:
        """Begin at 0."""
        return {"numbers": 0}

    def latest_offsets(self, reached: Mapping[str, int]) -> Mapping[str, int]:
        """End at 3."""
        return {"numbers": "3"}  # error: Dict entry

    def read(self, split: SourceSplit) -> Iterator[SourceElement[int]]:
        """Yield the numbers."""
        for number in range(split.start, split.stop):
            yield SourceElement(number, number)


words = env.from_collection(["a"], Types.STRING())
words.sink_to(LengthSink()).name("lengths")
words.sink_to(StagedSink())
words.map(len).sink_to(LengthSink())  # error: "sink_to"
numbers = env.from_source(Counting(), WatermarkStrategy.no_watermarks(), "numbers")
reveal_type(numbers)  # reveals: DataStream[int]
numbers.sink_to(LengthSink())  # error: "sink_to"
