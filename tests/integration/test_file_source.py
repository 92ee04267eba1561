"""Streams out of the lines of files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kafkastream.common import Encoder, SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import DataStream, RuntimeExecutionMode, StreamExecutionEnvironment
from kafkastream.datastream.connectors.file_system import FileSink, FileSource, StreamFormat
from kafkastream.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSource
from kafkastream.errors import DefinitionError, StorageError
from kafkastream.testing import KafkaBroker

PAIR = Types.TUPLE([Types.STRING(), Types.INT()])
pytestmark = pytest.mark.usefixtures("spark")


def read(env: StreamExecutionEnvironment, path: Path) -> DataStream[str]:
    source = FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(path)).build()
    return env.from_source(source, WatermarkStrategy.for_monotonous_timestamps(), "lines")


def counted(lines: DataStream[str]) -> DataStream[tuple[str, int]]:
    def split(line: str) -> Iterator[str]:
        yield from line.split()

    ones = lines.flat_map(split, Types.STRING()).map(lambda word: (word, 1), PAIR)
    return ones.key_by(lambda pair: pair[0]).reduce(lambda one, other: (one[0], one[1] + other[1]))


def test_words_of_files_are_counted_into_files(tmp_path: Path) -> None:
    """The expected order of the lines is real Flink's, of the same program (``pyflink/examples/datastream/word_count.py``)."""
    (tmp_path / "words.txt").write_text("to be or not to be\nthat is the question\nto be\n")
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    env.set_parallelism(1)
    sink = FileSink.for_row_format(str(tmp_path / "out"), Encoder.simple_string_encoder()).build()
    counted(read(env, tmp_path / "words.txt")).sink_to(sink)
    env.execute("words")
    (written,) = (path for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert written.read_text().splitlines() == [
        "(be,3)",
        "(is,1)",
        "(or,1)",
        "(to,3)",
        "(not,1)",
        "(the,1)",
        "(that,1)",
        "(question,1)",
    ]


def test_lines_and_records_are_counted_together(kafka: KafkaBroker, topic: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a b\n")
    kafka.produce(topic, ["a", "c"])
    env = StreamExecutionEnvironment.get_execution_environment()
    builder = KafkaSource.builder().set_bootstrap_servers(kafka.bootstrap_servers).set_topics(topic)
    bounded = builder.set_bounded(KafkaOffsetsInitializer.latest())
    source = bounded.set_value_only_deserializer(SimpleStringSchema()).build()
    records = env.from_source(source, WatermarkStrategy.no_watermarks(), "records")
    both = counted(records.union(read(env, tmp_path)))
    with both.execute_and_collect("words") as found:
        assert sorted(found) == [("a", 1), ("a", 2), ("b", 1), ("c", 1)]


def test_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    read(env, tmp_path / "nowhere").print()
    with pytest.raises(DefinitionError, match=f"at {tmp_path}/nowhere"):
        env.execute("nothing")
    (tmp_path / "packed.gz").write_text("not packed")
    read(env, tmp_path / "packed.gz").print()
    with pytest.raises(StorageError, match=r"cannot read .*/packed\.gz: Not a gzipped file"):
        env.execute("packed")
