"""Every sink, source and format that a user can name is registered with the engine."""

from __future__ import annotations

import gc
import importlib
from collections.abc import Iterator
from typing import Any

import attrs
import pytest

from kafkastream.cdc.node import PipelineNode
from kafkastream.errors import DefinitionError
from kafkastream.model.common.endpoints import Sink, Source
from kafkastream.model.connectors import split_source
from kafkastream.model.connectors.file_formats import BulkWriterFactory, FileFormat
from kafkastream.model.connectors.file_sink_settings import Encoder
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.graph.graph_nodes import KeyedNode, Node, SideOutputNode, SourceNode, UnionNode
from kafkastream.spark.cdc.appliers import metadata_applier
from kafkastream.spark.plan.chain_compiler import ChainCompiler
from kafkastream.spark.plan.source_rows import source_rows
from kafkastream.spark.sql.files.file_contents import read_file
from kafkastream.spark.sql.files.part_formats import part_format
from kafkastream.spark.sql.formats.message_format import message_format
from kafkastream.spark.sql.rows.sink_rows import table_writer
from kafkastream.spark.worker.chain_sinks import SinkPlace, sink_operator
from kafkastream.spark.worker.worker_cache import JobAttempt
from kafkastream.sql.connectors.filesystem import FILE_FORMATS
from kafkastream.sql.connectors.table_endpoints import TableSink, TableSource
from kafkastream.sql.files.parquet_file_format import ParquetFormat
from kafkastream.sql.formats import FORMATS, Format
from kafkastream.sql.plan.query_node import QueryNode, StreamNode
from tests.package import MODULES

for _module in MODULES:
    importlib.import_module(_module)
gc.collect()  # classes that attrs has replaced by those with slots


def leaves(kind: Any) -> Iterator[Any]:
    """The classes of the package that are subclasses of ``kind``, and have none of their own."""
    ours = [one for one in kind.__subclasses__() if one.__module__.startswith("kafkastream.")]
    if not ours:
        yield kind
    for one in ours:
        yield from leaves(one)


def name(kind: Any) -> str:
    return f"{kind.__module__.removeprefix('kafkastream.')}.{kind.__name__}"


@pytest.mark.parametrize("kind", sorted(leaves(Sink), key=name), ids=name)
def test_every_sink_has_an_operator(kind: type[Sink]) -> None:
    # Sinks of pipelines that become another sink in the job graph have an applier only.
    assert sink_operator.knows(kind) or metadata_applier.knows(kind)


@pytest.mark.parametrize("kind", sorted(leaves(Source), key=name), ids=name)
def test_every_source_gives_elements_or_is_read_by_the_engine(kind: type[Source]) -> None:
    assert (kind.elements is Source.elements) == (kind in {KafkaSource, split_source.Source})


def test_every_node_has_an_operator_in_a_chain_or_no_part_in_one() -> None:
    apart = {KeyedNode, QueryNode, SideOutputNode, SourceNode, StreamNode, UnionNode}
    registered = set(vars(ChainCompiler)["operator"].dispatcher.registry) - {object}
    with_operator = {*registered, PipelineNode}  # whose class only jobs with pipelines import
    assert with_operator | apart == set(leaves(Node))
    assert not with_operator & apart


def test_a_sink_without_an_operator_names_the_module_that_lacks_it() -> None:
    @attrs.frozen
    class Lonely(Sink):
        engine_module = __name__

    with pytest.raises(DefinitionError, match="nothing handles sink Lonely") as caught:
        sink_operator(Lonely(), SinkPlace("out", 1, JobAttempt("run"), "out"))
    assert __name__ in str(caught.value)


@pytest.mark.parametrize("kind", FORMATS.values(), ids=FORMATS)
def test_every_format_of_messages_has_a_reader_and_a_writer(kind: type[Format]) -> None:
    assert message_format.knows(kind)


@pytest.mark.parametrize("kind", FILE_FORMATS.values(), ids=FILE_FORMATS)
def test_every_format_of_files_is_lines_of_messages_or_columns(kind: type[Format]) -> None:
    assert message_format.knows(kind) != (kind is ParquetFormat)


@pytest.mark.parametrize("kind", sorted(leaves(TableSink), key=name), ids=name)
def test_every_table_that_is_written_has_a_sink_in_the_job_graph(kind: type[TableSink]) -> None:
    assert kind.sink is not TableSink.sink


@pytest.mark.parametrize("kind", sorted(leaves(TableSink), key=name), ids=name)
def test_every_table_that_is_written_has_a_writer(kind: type[TableSink]) -> None:
    assert table_writer.knows(kind)


@pytest.mark.parametrize("kind", sorted(leaves(TableSource), key=name), ids=name)
def test_every_table_that_is_read_has_rows(kind: type[TableSource]) -> None:
    assert source_rows.knows(kind)


@pytest.mark.parametrize("kind", sorted(leaves(FileFormat), key=name), ids=name)
def test_every_format_of_files_that_are_read_has_a_reader(kind: type[FileFormat]) -> None:
    assert read_file.knows(kind)


@pytest.mark.parametrize("kind", [Encoder, *sorted(leaves(BulkWriterFactory), key=name)], ids=name)
def test_every_format_of_files_that_are_written_has_a_writer(kind: type[BulkWriterFactory]) -> None:
    assert part_format.knows(kind)


def test_every_format_can_be_named() -> None:
    assert set(leaves(Format)) == {*FORMATS.values(), *FILE_FORMATS.values()}
