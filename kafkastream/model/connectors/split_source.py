"""Sources of users: splits with offsets, who finds them, and who reads them, in the words of Flink's Source API (FLIP-27)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, Generic, final

import attrs
from typing_extensions import NamedTuple, TypeVar

from kafkastream.model.common import endpoints
from kafkastream.model.common.types import TypeInformation
from kafkastream.model.connectors.kafka_source import Boundedness
from kafkastream.model.functions.runtime_context import RuntimeContext

__all__ = ["Source", "SourceElement", "SourceReader", "SourceSplit", "SplitEnumerator"]

OUT = TypeVar("OUT", default=Any)
OUT_co = TypeVar("OUT_co", covariant=True, default=Any)


@final
@attrs.frozen
class SourceSplit:
    """Part of a split that is to be read.

    Args:
        split_id: Name of the split.
        start: First offset to read.
        stop: First offset not to read.
    """

    split_id: str
    start: int
    stop: int


class SourceElement(NamedTuple, Generic[OUT]):
    """Element with its position in a split.

    Attributes:
        offset: Offset of the element; each is greater than the one before, and there may be gaps.
        value: The element.
        timestamp: Event time in ms since 1970, which the watermark strategy may replace; None if it has none.
    """

    offset: int
    value: OUT
    timestamp: int | None = None


class SplitEnumerator(ABC):
    """Finds the splits of a source, and how far each can be read.

    It runs on the driver's machine, in the driver and in a process of Spark's that plans micro-batches; each of them
    creates one, so state that must last belongs to the system that it asks.
    """

    @abstractmethod
    def starting_offsets(self) -> Mapping[str, int]:
        """Return the splits, each with the offset at which a job without a checkpoint begins to read it.

        Offsets are whole numbers from 0 on: positions in a file, sequence numbers, ids of rows. A split that is found
        later begins at offset 0.
        """

    @abstractmethod
    def latest_offsets(self, reached: Mapping[str, int]) -> Mapping[str, int]:
        """Return the offset up to which each split can be read now, before each micro-batch.

        To limit a micro-batch, return less than there is. A split that is not returned, or with the offset that it has
        reached, has nothing new.

        Args:
            reached: Offset that each split has reached, all elements before which have been processed or planned.
        """

    def notify_checkpoint_complete(self, offsets: Mapping[str, int]) -> None:
        """Note that all elements before these offsets are done with, and never read again; may come late, or not at all.

        Args:
            offsets: Offset of each split.
        """

    def close(self) -> None:
        """Release resources."""


class SourceReader(Generic[OUT_co], ABC):
    """Reads splits, on a worker; one for each subtask, which stays open between micro-batches."""

    @abstractmethod
    def read(self, split: SourceSplit) -> Iterable[SourceElement[OUT_co]]:
        """Return the elements from ``split.start`` up to ``split.stop``, in the order of their offsets.

        It must give the same elements when it is called again: after a failure, a micro-batch is repeated.

        Args:
            split: Split, and what to read of it.
        """


class Source(endpoints.Source[OUT_co], ABC):
    """Base class of a source of your own for ``env.from_source``: a value that is pickled to Spark's processes.

    Spark's checkpoint keeps the offset of each split with the state of the job, so a restart continues exactly where the
    job was, and sinks that are exactly-once are so for this source as for Kafka.

    Differs from Flink: micro-batches are planned before they are read, so a reader gets ranges of offsets, and neither
    the enumerator nor the reader keeps state in the checkpoint.
    """

    __slots__ = ()

    @abstractmethod
    def create_enumerator(self) -> SplitEnumerator:
        """Return the enumerator; open connections here."""

    @abstractmethod
    def create_reader(self, context: RuntimeContext) -> SourceReader[OUT_co]:
        """Return the reader of a subtask; open connections here.

        Args:
            context: Subtask, job parameters and metrics.
        """

    def get_boundedness(self) -> Boundedness:
        """Return whether the source ends: a bounded one at the latest offsets of the job's first start."""
        return Boundedness.CONTINUOUS_UNBOUNDED

    @property
    def polling_interval_ms(self) -> int:
        """Least time between two calls of ``latest_offsets`` while there is nothing new, in ms; 100 by default.

        Spark asks its sources a hundred times per second.
        """
        return 100

    def get_produced_type(self) -> TypeInformation[OUT_co] | None:
        """Return the type of the elements; None, the default, if it is not known."""
        return None
