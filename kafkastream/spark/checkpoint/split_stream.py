"""A user's source as a streaming source of Spark: its log of offsets, and the ranges of splits that tasks read.

The rows of the stream are ranges of offsets; the elements are read in the task that processes them
(``spark.worker.split_decoder``), so they cross into Python once. Spark runs this module in a Python process that plans
the stream, on the driver's machine.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from threading import Lock
from typing import Any, ClassVar, Final, final

import attrs
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit

from kafkastream.errors import UserFunctionError
from kafkastream.model.common.call_errors import own_traceback, said
from kafkastream.model.connectors.split_source import Source, SplitEnumerator
from kafkastream.spark.session.translate_errors import FunctionFailedError
from kafkastream.spark.worker.pickling import sent, unpickled

__all__ = ["SplitStream", "SplitStreamReader", "enumerated", "split_stream_frame"]

_FORMAT: Final = "kafkastream-splits"
_SCHEMA: Final = "topic string, partition int, offset bigint, stop bigint"
_PARTITION: Final = "0"
_REGISTERING: Final = Lock()

Offsets = Mapping[str, int]


@final
@attrs.frozen
class SplitStream:
    """What the planning process needs of a source.

    Args:
        name: Name of the source, for errors.
        source: The source, pickled.
        starts: First offset of each split.
        stops: First offset not to read of each split; None if the source is unbounded.
        import_path: The program's ``sys.path``, which the planning process lacks, since it is not forked from the program.
    """

    name: str
    source: bytes = attrs.field(repr=False)
    starts: Offsets
    stops: Offsets | None
    import_path: tuple[str, ...] = attrs.field(factory=lambda: tuple(sys.path), repr=False)

    @staticmethod
    def of(name: str, source: Source[Any], starts: Offsets, stops: Offsets | None) -> SplitStream:
        """Pickle a source.

        Raises:
            DefinitionError: It cannot be pickled.
        """
        return SplitStream(name, sent(source, lambda: f"source {name!r}"), dict(starts), stops and dict(stops))


def split_stream_frame(session: SparkSession, stream: SplitStream, key: str | None) -> DataFrame:
    """Return the stream of the ranges to read, in Kafka's columns: a split is a topic with the partition 0.

    Args:
        session: Spark session of the job.
        stream: The source.
        key: Name of the source in Spark; None if its position identifies it.
    """

    class SplitDataSource(_SplitDataSource):  # pickled by value, with the source
        content = stream

    with _REGISTERING:  # ``load`` looks the name up
        session.dataSource.register(SplitDataSource)
        reader = session.readStream.format(_FORMAT)
        return (reader if key is None else reader.name(key)).load()


class _SplitDataSource(DataSource):
    content: ClassVar[SplitStream]

    @classmethod
    def name(cls) -> str:
        return _FORMAT

    def schema(self) -> str:
        return _SCHEMA

    def streamReader(self, schema: Any) -> DataSourceStreamReader:
        return SplitStreamReader(self.content)


@final
class _RangePartition(InputPartition):
    def __init__(self, split: str, start: int, stop: int) -> None:
        self.range = (split, 0, start, stop)


@final
class SplitStreamReader(DataSourceStreamReader):
    """Spark's streaming data source reader of a user's source, whose offsets have the form of Kafka's."""

    def __init__(self, stream: SplitStream) -> None:
        self._stream = stream
        self._enumerator: SplitEnumerator | None = None
        self._interval_s = 0.0
        self._ask_at = 0.0

    def initialOffset(self) -> dict[str, Any]:
        """Return the starting offsets."""
        return _nested(self._stream.starts)

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """Ask the enumerator how far the splits can be read; up to the stops, for a bounded source."""
        # Spark asks again after spark.sql.streaming.pollingDelay, 10 ms, if there is nothing new.
        if time.monotonic() < self._ask_at:
            return start
        reached, stops = _flat(start), self._stream.stops
        latest = self._asked("latest_offsets", lambda enumerator: enumerator.latest_offsets(reached))
        if stops is not None:
            latest = {split: min(offset, stops[split]) for split, offset in latest.items() if split in stops}
        for split, offset in latest.items():
            if offset < reached.get(split, 0):
                raise self._failure(
                    f"has read split {split!r} up to offset {reached[split]}, and latest_offsets returned {offset}"
                )
        if all(offset == reached.get(split) for split, offset in latest.items()):
            self._ask_at = time.monotonic() + self._interval_s
        return _nested({**reached, **latest})

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """Return the ranges between two offsets; a split that is new begins at 0."""
        begins = _flat(start)
        ranges = ((split, begins.get(split, 0), stop) for split, stop in _flat(end).items())
        return [_RangePartition(split, begin, stop) for split, begin, stop in ranges if begin < stop]

    def read(self, partition: InputPartition) -> Iterator[tuple[Any, ...]]:
        """Return a range as a row."""
        assert isinstance(partition, _RangePartition)
        return iter([partition.range])

    def commit(self, end: dict[str, Any]) -> None:
        """Tell the enumerator what has been processed."""
        offsets = _flat(end)
        self._asked("notify_checkpoint_complete", lambda enumerator: enumerator.notify_checkpoint_complete(offsets))

    def stop(self) -> None:
        """Close the enumerator."""
        if self._enumerator is not None:
            self._enumerator.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return SplitStreamReader, (self._stream,)  # the enumerator does not travel

    def _asked(self, method: str, call: Callable[[SplitEnumerator], Any]) -> Any:
        try:
            if self._enumerator is None:
                sys.path += [folder for folder in self._stream.import_path if folder not in sys.path]
                source: Source[Any] = unpickled(self._stream.source)
                self._interval_s = source.polling_interval_ms / 1000
                self._enumerator = source.create_enumerator()
            answer = call(self._enumerator)
        except Exception as error:  # noqa: BLE001 - it travels as text, through Java
            raise FunctionFailedError(_call_failed(self._stream.name, method, error)) from None
        return answer if answer is None else self._checked(answer)

    def _checked(self, answer: object) -> Offsets:
        try:
            return checked_offsets(answer)
        except (TypeError, ValueError) as error:
            raise self._failure(str(error)) from None

    def _failure(self, what: str) -> FunctionFailedError:
        return FunctionFailedError(UserFunctionError(f"source {self._stream.name!r}: {what}"))


def enumerated(name: str, source: Source[Any], method: str, call: Callable[[SplitEnumerator], object]) -> Offsets:
    """Return the offsets that a new enumerator of a source gives in this process.

    Args:
        name: Name of the source.
        source: The source.
        method: Name of the called method.
        call: The call.

    Raises:
        UserFunctionError: The enumerator raised, or returned something else.
    """
    try:
        with closing(source.create_enumerator()) as enumerator:
            return checked_offsets(call(enumerator))
    except Exception as error:
        raise _call_failed(name, method, error) from error


def checked_offsets(offsets: object) -> dict[str, int]:
    """Return offsets of splits, if they are some.

    Raises:
        TypeError: They are no mapping from text to whole numbers.
        ValueError: An offset is negative, or the name of a split is empty.
    """
    if not isinstance(offsets, Mapping):
        raise TypeError(f"offsets of splits are a mapping from text to whole numbers, not {offsets!r}")
    for split, offset in offsets.items():
        if not isinstance(split, str) or not isinstance(offset, int) or isinstance(offset, bool):
            raise TypeError(f"offsets of splits are a mapping from text to whole numbers, not {offsets!r}")
        if not split or not 0 <= offset < 2**63:
            raise ValueError(f"split {split!r} cannot have offset {offset}")
    return dict(offsets)


def _call_failed(name: str, method: str, error: Exception) -> UserFunctionError:
    return UserFunctionError(f"{method} of source {name!r} raised {said(error)}", now=own_traceback(error))


def _nested(offsets: Offsets) -> dict[str, Any]:
    """Return offsets in the form of Spark's Kafka source, which the log of offsets and the progress reports have."""
    return {split: {_PARTITION: offset} for split, offset in offsets.items()}


def _flat(offsets: Mapping[str, Any]) -> dict[str, int]:
    return {split: partitions[_PARTITION] for split, partitions in offsets.items()}
