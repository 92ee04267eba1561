"""The stream that only the driver feeds: each content comes once, and collections with the first."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable

from kafkastream.common import WatermarkStrategy
from kafkastream.model.graph.job_graph import CollectionSource, JobGraph, SourceNode
from kafkastream.model.graph.node_ids import CONTROL_NODE
from kafkastream.spark.checkpoint.control_stream import ControlFile, ControlReader
from kafkastream.spark.plan.collection_rows import collection_rows
from kafkastream.spark.plan.source_frames import collections_of
from kafkastream.spark.worker.record_decoders import CollectionDecoder


def rules(node: int, *elements: Any) -> SourceNode:
    strategy: WatermarkStrategy[Any] = WatermarkStrategy.no_watermarks()
    return SourceNode(id=node, name="rules", source=CollectionSource(elements), watermarks=strategy)


def elements(rows: list[Any]) -> list[Any]:
    decoder = CollectionDecoder()
    return [(batch["source"][0].as_py(), decoder.decode(batch).values) for batch in rows]


@pytest.mark.parametrize("number", [0, 2, 25_000])
def test_collections_come_with_the_first_content_however_often_that_is_read(number: int) -> None:
    graph = JobGraph((rules(1, *range(number)), rules(2, "a")))
    file = ControlFile.temporary(collection_rows(node, one.elements) for node, one in collections_of(graph))
    try:
        reader = ControlReader(file)
        file.write({"now": 1})
        begin = reader.initialOffset()
        first = reader.latestOffset(begin, ReadAllAvailable())
        for _ in range(2):
            (told,), given, other = ([*reader.read(one)] for one in reader.partitions(begin, first))
            assert told == (CONTROL_NODE, b'{"now": 1}')
            assert all(isinstance(rows, pa.RecordBatch) for rows in given)
            assert [value for _, values in elements(given) for value in values] == list(range(number))
            assert elements(other) == [(2, ["a"])]
        assert reader.partitions(first, reader.latestOffset(first, ReadAllAvailable())) == []
        file.write({"now": 2})
        (later,) = reader.partitions(first, reader.latestOffset(first, ReadAllAvailable()))
        assert [*reader.read(later)] == [(CONTROL_NODE, b'{"now": 2}')]
    finally:
        file.remove()
    assert not file.path.parent.exists()
