"""Ranges of users' splits in the form of Spark's offsets, and the elements that are read of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable

from kafkastream.datastream import RuntimeContext
from kafkastream.spark.checkpoint.split_stream import SplitStream, SplitStreamReader
from kafkastream.spark.internals.pickles import dumps
from kafkastream.spark.worker.pickling import unpickled
from kafkastream.spark.worker.split_decoder import SplitDecoder
from kafkastream.testing import wait_until
from tests.toy_source import LineSource

ALL = ReadAllAvailable()


def reader(folder: Path, starts: dict[str, int], stops: dict[str, int] | None = None) -> SplitStreamReader:
    """A reader as it arrives in another process."""
    stream = SplitStreamReader(SplitStream.of("lines", LineSource(str(folder)), starts, stops))
    arrived: SplitStreamReader = unpickled(dumps(stream))
    return arrived


def ranges(own: SplitStreamReader, start: dict[str, Any], end: dict[str, Any]) -> list[Any]:
    return [row for partition in own.partitions(start, end) for row in own.read(partition)]


def test_offsets_are_those_of_whole_lines_and_new_splits_begin_at_0(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\ntwo\nthr")
    own = reader(tmp_path, {"a": 4})
    first = own.latestOffset(own.initialOffset(), ALL)
    assert (own.initialOffset(), first) == ({"a": {"0": 4}}, {"a": {"0": 8}})
    assert ranges(own, own.initialOffset(), first) == [("a", 0, 4, 8)]
    assert own.latestOffset(first, ALL) == first
    (tmp_path / "b").write_text("new\n")
    assert own.latestOffset(first, ALL) == first  # it has just been asked
    wait_until(lambda: own.latestOffset(first, ALL) != first, 5, "the new split")
    second = own.latestOffset(first, ALL)
    assert ranges(own, first, second) == [("b", 0, 0, 4)]
    assert own.latestOffset(second, ALL) == second
    own.commit(second)
    own.stop()


def test_a_bounded_source_is_read_up_to_its_stops(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\ntwo\n")
    (tmp_path / "late").write_text("new\n")
    own = reader(tmp_path, {"a": 0}, {"a": 4})
    assert own.latestOffset(own.initialOffset(), ALL) == {"a": {"0": 4}}


def test_a_split_may_vanish_but_not_shrink(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\n")
    own = reader(tmp_path, {"a": 0, "b": 7})
    assert own.latestOffset(own.initialOffset(), ALL) == {"a": {"0": 4}, "b": {"0": 7}}
    with pytest.raises(RuntimeError, match="up to offset 9, and latest_offsets returned 4"):
        own.latestOffset({"a": {"0": 9}}, ALL)


def test_the_elements_of_a_range_are_read_in_pieces_with_their_positions(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("".join(f"{number} x\n" for number in range(5_000)))
    end = (tmp_path / "a").stat().st_size
    decoder: SplitDecoder = unpickled(dumps(SplitDecoder("lines", LineSource(str(tmp_path)))))
    decoder.open(RuntimeContext(task_name="lines"))
    row: dict[str, list[Any]] = {"source": [1], "topic": ["a"], "partition": [0], "offset": [4], "timestamp": [end]}
    pieces = [(arrow, decoder.decode(arrow)) for arrow in decoder.batches([pa.RecordBatch.from_pydict(row)])]
    assert [arrow.num_rows for arrow, _ in pieces] == [2_000, 2_000, 999]
    arrow, batch = pieces[0]
    assert (batch.values[:2], batch.timestamps[:2]) == (["1 x", "2 x"], [1, 2])
    assert decoder.position(arrow, 1) == "split a, offset 8"
