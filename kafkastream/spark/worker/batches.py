"""Batches of elements on their way through a chain, and errors that name the failing element."""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, pairwise
from typing import Any, Final, NamedTuple, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from kafkastream.model.common.mutable_values import FIXED, detached
from kafkastream.model.common.output_tag import is_tagged
from kafkastream.model.formats.malformed import is_malformed
from kafkastream.spark.crash_notes import NOTE

__all__ = [
    "Batch",
    "ElementError",
    "by_partition",
    "concatenated",
    "each",
    "each_detached",
    "from_first_rows",
    "in_larger_batches",
    "parted",
    "repeat_each",
    "salvaged",
]

T = TypeVar("T")
_JOINED_BYTES: Final = 16 << 20
_PLACE: Final = ("source", "topic", "partition")
"""Columns that name a source partition; rows of a collection have the first one only."""


class Batch(NamedTuple):
    """Elements, each with its event time and the index of its source record in the Arrow batch."""

    values: Sequence[Any]
    timestamps: Sequence[int | None]
    origin: Sequence[int]

    def rows(self, indices: Sequence[int]) -> Batch:
        """Return the elements at these indices."""
        return Batch(
            [self.values[index] for index in indices],
            [self.timestamps[index] for index in indices],
            [self.origin[index] for index in indices],
        )

    def from_offset(self, offsets: Sequence[int], least: int) -> Batch:
        """Return the elements of source records from an offset on.

        Args:
            offsets: Offsets of the source records, ascending.
            least: First offset to include.

        Example:
            >>> Batch(("a", "b", "c"), (None, None, None), (0, 0, 1)).from_offset([7, 8], 8).values
            ['c']
        """
        if not offsets or offsets[0] >= least:
            return self
        return self.rows([index for index, row in enumerate(self.origin) if offsets[row] >= least])

    def between(self, begin: int, end: int) -> Batch:
        """Return the elements from one index up to another."""
        return Batch(self.values[begin:end], self.timestamps[begin:end], self.origin[begin:end])


def concatenated(batches: Sequence[tuple[int, Batch]]) -> Batch:
    """Join batches of consecutive parts of one Arrow batch, given the begin of each part."""
    if len(batches) == 1 and batches[0][0] == 0:
        return batches[0][1]
    return Batch(
        list(chain.from_iterable(batch.values for _, batch in batches)),
        list(chain.from_iterable(batch.timestamps for _, batch in batches)),
        [begin + row for begin, batch in batches for row in batch.origin],
    )


def parted(batch: Batch) -> tuple[Batch, Mapping[str, Batch]]:
    """Separate the elements of the main output from those of each side output, which are pairs of a tag and an element.

    Example:
        >>> from kafkastream.model.common.output_tag import OutputTag
        >>> main, sides = parted(Batch([1, (OutputTag("odd"), 3)], [None, None], [0, 1]))
        >>> main.values, sides["odd"].values
        ([1], [3])
    """
    aside = [index for index, value in enumerate(batch.values) if type(value) is tuple and is_tagged(value)]
    if not aside:
        return batch, {}
    by_tag: dict[str, list[int]] = defaultdict(list)
    for index in aside:
        by_tag[batch.values[index][0].tag_id].append(index)
    gone = set(aside)
    main = batch.rows([index for index in range(len(batch.values)) if index not in gone])
    sides = {tag: batch.rows(indices) for tag, indices in by_tag.items()}
    return main, {tag: side._replace(values=[value for _, value in side.values]) for tag, side in sides.items()}


def repeat_each(column: Sequence[T], counts: Sequence[int]) -> Sequence[T]:
    """Repeat each item of a column as often as its count says; the column itself if each count is 1.

    Example:
        >>> repeat_each("abc", [0, 2, 1])
        ['b', 'b', 'c']
    """
    if counts.count(1) == len(counts):
        return column
    return [item for item, count in zip(column, counts, strict=True) for _ in range(count)]


def from_first_rows(
    batches: Iterable[pa.RecordBatch],
) -> tuple[pa.RecordBatch, Iterator[pa.RecordBatch]] | None:
    """Return the first batch that has rows, and all from that one on; None if no batch has any."""
    remaining = iter(batches)
    first = next((arrow for arrow in remaining if arrow.num_rows), None)
    return None if first is None else (first, chain((first,), remaining))


def by_partition(batches: Iterable[pa.RecordBatch]) -> Iterator[Iterator[pa.RecordBatch]]:
    """Yield the batches of each source partition, one partition after the other, without rows of any other.

    Example:
        >>> batch = pa.RecordBatch.from_pydict({"source": [0, 0, 0], "topic": ["a"] * 3, "partition": [0, 0, 1]})
        >>> [[arrow.num_rows for arrow in some] for some in by_partition([batch, batch.slice(2)])]
        [[2], [1, 1]]
    """
    stretches = (stretch for arrow in batches if arrow.num_rows for stretch in _stretches(arrow))
    return (some for _, some in groupby(stretches, _partition))


def in_larger_batches(batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.RecordBatch]:
    """Join consecutive batches until they have so many rows, or some MB.

    Example:
        >>> batch = pa.RecordBatch.from_pydict({"n": [1, 2]})
        >>> [arrow.num_rows for arrow in in_larger_batches([batch] * 5, 4)]
        [4, 4, 2]
    """
    waiting: list[pa.RecordBatch] = []
    for arrow in batches:
        waiting.append(arrow)
        if sum(one.num_rows for one in waiting) >= rows or sum(one.nbytes for one in waiting) >= _JOINED_BYTES:
            yield _as_one(waiting)
            waiting = []
    if waiting:
        yield _as_one(waiting)


def _as_one(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    return batches[0] if len(batches) == 1 else pa.Table.from_batches(batches).combine_chunks().to_batches()[0]


def _partition(arrow: pa.RecordBatch) -> tuple[object, ...]:
    return tuple(arrow[name][0].as_py() for name in _PLACE if name in arrow.schema.names)


def _stretches(arrow: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Yield slices of a batch, which each have the rows of one partition."""
    begins = {0, arrow.num_rows}
    for name in _PLACE:
        if name in arrow.schema.names:
            differs = pc.not_equal(arrow[name].slice(1), arrow[name].slice(0, arrow.num_rows - 1))
            if differs.true_count:
                begins.update((pc.indices_nonzero(differs).to_numpy() + 1).tolist())
    return (arrow.slice(begin, end - begin) for begin, end in pairwise(sorted(begins)))


class ElementError(Exception):
    """A function raised on one element; ``__cause__`` is what it raised."""

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.index = index


def each(function: Callable[..., Any], values: Sequence[Any], *more: Iterable[Any]) -> list[Any]:
    """Apply ``function`` to each value; the iterator's position shows which element failed.

    Raises:
        ElementError: With the index of the value on which ``function`` raised.
    """
    remaining = iter(values)
    try:
        out = list(map(function, NOTE.watched(remaining), *more))
    except BaseException as error:  # also sys.exit, which would end the worker
        raise ElementError(len(values) - operator.length_hint(remaining) - 1) from error
    if len(out) < len(values):  # map would silently end at a StopIteration of the function's
        raise ElementError(len(out)) from RuntimeError("the function raised StopIteration")
    return out


def each_detached(function: Callable[[Any], Any], values: Sequence[Any]) -> list[Any]:
    """Apply ``function`` to each value, and keep each result as it is at that moment; errors as of ``each``."""
    remaining = iter(values)
    try:
        return [
            result if type(result := function(value)) in FIXED else detached(result)
            for value in NOTE.watched(remaining)
        ]
    except BaseException as error:  # also sys.exit, which would end the worker
        raise ElementError(len(values) - operator.length_hint(remaining) - 1) from error


def salvaged(work: Callable[[int, int], T], number: int) -> Iterator[tuple[int, T | ElementError]]:
    """Apply ``work`` to all indices from 0 to ``number``, and isolate those on which it fails.

    An error that is not the fault of an element (``is_malformed``) is raised.
    First all indices are tried at once. After a failure, stretches are tried that double in length as long as they
    succeed, so that few failures cost little, and many no more than one call each.

    Args:
        work: Processes a stretch, given its begin and end; raises an ``ElementError`` with an index in the stretch.
        number: Number of indices.

    Yields:
        The begin of a stretch and its result, or the index of a failure and its error.

    Raises:
        ElementError: An error that is not the fault of an element, with the index at which it occurred.
    """
    begin, length = 0, number
    while begin < number:
        end = min(begin + length, number)
        try:
            done = work(begin, end)
        except ElementError as error:
            if not is_malformed(error.__cause__):
                raise ElementError(begin + error.index) from error.__cause__
            if error.index:
                length = error.index  # the ones before it are tried without it
            else:
                yield begin, error
                begin, length = begin + 1, 1
        else:
            yield begin, done
            begin, length = end, 2 * length
