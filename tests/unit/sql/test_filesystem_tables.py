"""Tables of the connector ``filesystem``: what their options mean, and how their directories are called."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import attrs
import pytest

from kafkastream.errors import DefinitionError, KafkastreamError, UnsupportedFeatureError
from kafkastream.model.connectors.file_sink_settings import DefaultRollingPolicy
from kafkastream.spark.sql.files.file_contents import file_elements
from kafkastream.sql.connectors import FileTableSink, FileTableSource, check_partitions, sink_of, source_of
from kafkastream.sql.files.parquet_file_format import ParquetCompression, ParquetFormat
from kafkastream.sql.files.partition_commits import PartitionCommit, PartitionTime
from kafkastream.sql.files.tables import Partitions, TableFile, TableFiles
from kafkastream.sql.formats import CsvFormat, JsonFormat
from kafkastream.sql.syntax.like import liked
from kafkastream.sql.syntax.parser import parse_one
from kafkastream.sql.syntax.statements import CreateTable
from kafkastream.sql.table import TableDefinition
from kafkastream.sql.types import DataType, Kind, RowField
from kafkastream.table import DataTypes, Schema, TableDescriptor
from kafkastream.table.session.ddl_text import create_table_text

COLUMNS = "id INT, k STRING, dated DATE"


def definition(columns: str = COLUMNS, partitions: str = "", **options: str) -> TableDefinition:
    given = {"connector": "filesystem", "path": "file:///data/t", "format": "json"}
    given |= {key.replace("__", "-").replace("_", "."): value for key, value in options.items()}
    text = ", ".join(f"'{key}' = '{value}'" for key, value in given.items() if value)
    parsed = parse_one(f"CREATE TABLE t ({columns}) {partitions} WITH ({text})")
    assert isinstance(parsed, CreateTable)
    return parsed.definition


def test_partition_columns_are_not_in_files() -> None:
    table = definition(partitions="PARTITIONED BY (k)", partition_default__name="none")
    source, sink = source_of(table), sink_of(table)
    assert isinstance(source, FileTableSource)
    assert isinstance(sink, FileTableSink)
    assert source.base_path == sink.sink.base_path == "/data/t"
    assert [field.column for field in source.part.fields] == ["id", "dated"]
    assert source.partitions == sink.writer.partitions == Partitions((RowField("k", DataType.string()),), "none")
    assert isinstance(source.part.format, JsonFormat)
    assert sink.sink.success_file is None
    assert sink.sink.rolling_policy == DefaultRollingPolicy(128 * 1024 * 1024)


def test_options_say_how_files_are_written() -> None:
    options = {
        "sink.rolling-policy.file-size": "1 mb",
        "sink.partition-commit.policy.kind": "success-file",
        "sink.partition-commit.success-file.name": "_DONE",
        "sink.parallelism": "2",
        "csv.field-delimiter": ";",
        "format": "csv",
    }
    given = ", ".join(f"'{key}' = '{value}'" for key, value in options.items())
    parsed = parse_one(
        f"CREATE TABLE t ({COLUMNS}) PARTITIONED BY (k) WITH ('connector' = 'filesystem', 'path' = '/data', {given})"
    )
    assert isinstance(parsed, CreateTable)
    sink = sink_of(parsed.definition)
    assert isinstance(sink, FileTableSink)
    assert isinstance(sink.writer.part.format, CsvFormat)
    assert sink.writer.part.format.field_delimiter == ";"
    assert (sink.sink.success_file, sink.parallelism, sink.sink.rolling_policy.most_bytes) == ("_DONE", 2, 1024 * 1024)
    whole = sink_of(attrs.evolve(parsed.definition, partitioned_by=()))
    assert isinstance(whole, FileTableSink)
    assert whole.sink.success_file is None


def test_partitions_are_committed_by_their_time() -> None:
    options = {
        "sink_partition__commit_trigger": "partition-time",
        "sink_partition__commit_delay": "1 min",
        "sink_partition__commit_watermark__time__zone": "GMT+01:00",
        "partition_time__extractor_timestamp__pattern": "$k 00:00:00",
        "partition_default__name": "none",
    }
    policy = {"sink_partition__commit_policy_kind": "success-file"}

    def commit(partitions: str = "PARTITIONED BY (dated, k)", **given: str) -> PartitionCommit | None:
        sink = sink_of(definition(partitions=partitions, **given))
        assert isinstance(sink, FileTableSink)
        return sink.writer.commit

    time = PartitionTime(columns=("dated", "k"), pattern="$k 00:00:00", zone="GMT+01:00", default_name="none")
    assert commit(**options, **policy) == PartitionCommit(delay_ms=60_000, time=time)
    assert commit(**policy, sink_partition__commit_delay="1 s") == PartitionCommit(delay_ms=1_000, time=None)
    assert commit(**policy) is None
    assert commit(**options) is None  # as in Flink, without a policy nothing is committed
    assert commit(partitions="", **options, **policy) is None


def test_parquet_has_its_options() -> None:
    sink = sink_of(definition(format="parquet", parquet_compression="zstd", parquet_utc__timezone="true"))
    assert isinstance(sink, FileTableSink)
    assert sink.writer.part.format == ParquetFormat(compression=ParquetCompression.ZSTD, utc_timezone=True)


BAD: dict[str, tuple[Callable[[], TableDefinition], type[KafkastreamError], str]] = {
    "path": (lambda: definition(path=""), DefinitionError, "Missing required options are: path"),
    "format": (lambda: definition(format=""), DefinitionError, "Missing required options are: format"),
    "unknown": (lambda: definition(foo="1"), DefinitionError, "Unsupported options: foo"),
    "no format": (lambda: definition(format="jso"), DefinitionError, "Could not find any format for identifier 'jso'"),
    "avro": (lambda: definition(format="avro"), UnsupportedFeatureError, "files of the format 'avro'"),
    "other disk": (lambda: definition(path="s3://b/t"), UnsupportedFeatureError, "s3://"),
    "raw": (lambda: definition(format="raw"), DefinitionError, "only supports single physical column"),
    "size": (
        lambda: definition(sink_rolling__policy_file__size="abc"),
        DefinitionError,
        "Unsupported value 'abc' for 'sink.rolling-policy.file-size'",
    ),
    "trigger": (
        lambda: definition(sink_partition__commit_trigger="sometimes"),
        DefinitionError,
        "Unsupported value 'sometimes' for 'sink.partition-commit.trigger'",
    ),
    "zone": (
        lambda: definition(sink_partition__commit_watermark__time__zone="Mars"),
        DefinitionError,
        "there is no time zone 'Mars'",
    ),
    "formatter": (
        lambda: definition(partition_time__extractor_timestamp__formatter="EEE"),
        DefinitionError,
        "'EEE' of the date pattern 'EEE' is not supported",
    ),
    "extractor": (
        lambda: definition(partition_time__extractor_kind="custom"),
        UnsupportedFeatureError,
        "'custom' is not supported",
    ),
    "time of a date": (
        lambda: definition(
            partitions="PARTITIONED BY (dated)",
            sink_partition__commit_trigger="partition-time",
            sink_partition__commit_policy_kind="success-file",
        ),
        UnsupportedFeatureError,
        "the time of a partition from a column of type DATE",
    ),
    "policy": (
        lambda: definition(sink_partition__commit_policy_kind="metastore"),
        UnsupportedFeatureError,
        "'metastore' is not supported",
    ),
    "compaction": (
        lambda: definition(auto__compaction="true"),
        UnsupportedFeatureError,
        "'true' is not supported",
    ),
    "metadata": (
        lambda: definition("id INT, `file.path` STRING METADATA"),
        DefinitionError,
        "doesn't implement the SupportsWritingMetadata",
    ),
    "partition type": (
        lambda: definition("id INT, k BYTES", "PARTITIONED BY (k)"),
        DefinitionError,
        "a partition column cannot be of type BYTES",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_tables_that_cannot_be_written_are_refused(name: str) -> None:
    table, error, told = BAD[name]
    with pytest.raises(error, match=told):
        sink_of(table())


@pytest.mark.parametrize("key", ["source_monitor__interval", "source_path_regex__pattern"])
def test_tables_in_files_end(key: str) -> None:
    with pytest.raises(UnsupportedFeatureError, match="'1 s' is not supported"):
        source_of(definition(**{key: "1 s"}))


def test_metadata_is_that_of_files() -> None:
    source = source_of(definition("id INT, size BIGINT METADATA FROM 'file.size' VIRTUAL"))
    assert isinstance(source, FileTableSource)
    assert [field.column.key for field in source.metadata] == ["file.size"]
    with pytest.raises(DefinitionError, match="'FileSystemTableSource' supports the following metadata keys"):
        source_of(definition("id INT, `offset` BIGINT METADATA"))


def test_partitions_are_columns_of_files() -> None:
    check_partitions(definition(partitions="PARTITIONED BY (k)"), "t")
    with pytest.raises(DefinitionError, match="Partition column 'z' not defined in the table schema"):
        check_partitions(definition(partitions="PARTITIONED BY (z)"), "t")
    with pytest.raises(DefinitionError, match="'k' is more than once"):
        check_partitions(definition(partitions="PARTITIONED BY (k, k)"), "t")
    with pytest.raises(DefinitionError, match="only a table in files has PARTITIONED BY"):
        check_partitions(definition(partitions="PARTITIONED BY (k)", connector="print"), "t")


def test_partitions_are_declared_as_other_things_are() -> None:
    base = definition(partitions="PARTITIONED BY (k, dated)")
    assert "\n) PARTITIONED BY (`k`, `dated`) WITH (" in create_table_text(base)
    for text, found in (("", ("k", "dated")), ("(EXCLUDING PARTITIONS)", ())):
        like = parse_one(f"CREATE TABLE u LIKE t {text}")
        assert isinstance(like, CreateTable)
        assert like.like is not None
        assert liked(like.definition, like.like, base).partitioned_by == found
    both = parse_one("CREATE TABLE u PARTITIONED BY (id) LIKE t")
    assert isinstance(both, CreateTable)
    assert both.like is not None
    with pytest.raises(DefinitionError, match="already has partitions"):
        liked(both.definition, both.like, base)
    schema = Schema.new_builder().column("id", DataTypes.INT()).column("k", DataTypes.STRING()).build()
    built = TableDescriptor.for_connector("filesystem").schema(schema).partitioned_by("k").build()
    assert built.get_partition_keys() == ["k"]


@pytest.mark.parametrize(
    ("kind", "value", "folder"),
    [
        (DataType.string(), 'a"b c%d=e/f:g', "k=a%22b c%25d%3De%2Ff%3Ag"),
        (DataType.string(), "", "k=__DEFAULT_PARTITION__"),
        (DataType.string(), None, "k=__DEFAULT_PARTITION__"),
        (DataType.of(Kind.BOOLEAN), True, "k=true"),
        (DataType.of(Kind.DOUBLE), 1e20, "k=1.0E20"),
        (DataType.of(Kind.DECIMAL, 10, 7), Decimal("1E-7"), "k=0.0000001"),
        (DataType.of(Kind.DATE), datetime.date(2020, 1, 1), "k=18262"),
        (DataType.of(Kind.TIME), datetime.time(0, 0, 1), "k=1000"),
        (DataType.of(Kind.TIMESTAMP, 3), datetime.datetime(2020, 1, 1), "k=2020-01-01T00%3A00"),  # noqa: DTZ001
    ],
    ids=str,
)
def test_directories_are_called_as_flink_calls_them(kind: DataType, value: Any, folder: str) -> None:
    assert Partitions((RowField("k", kind),)).folder(0, value) == folder


def test_files_are_found_with_their_partitions(tmp_path: Path) -> None:
    text = DataType.string()
    found = TableFiles(str(tmp_path), Partitions((RowField("a", text), RowField("b", text))))
    for name in ("a=1/b=x%20y/f", "a=1/b=__DEFAULT_PARTITION__/sub/g", "top", "a=1/b=2/_h", ".i/b=1/f"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("xy")
    os.utime(tmp_path / "a=1/b=x%20y/f", (1, 1.5))
    source = FileTableSource(base_path=str(tmp_path), part=None, partitions=found.partitions)  # type: ignore[arg-type]  # is not read
    files: list[TableFile] = list(file_elements(source.graph_source.elements))  # type: ignore[arg-type]  # a table's
    assert [one.partition for one in files] == [("1", None), ("1", "x y")]
    assert files[1] == TableFile(str(tmp_path / "a=1/b=x%20y/f"), 2, 1500, ("1", "x y"))
    (tmp_path / "a=2").mkdir()
    (tmp_path / "a=2/f").touch()
    with pytest.raises(DefinitionError, match="2 partition columns, and the file is in 1 directories"):
        list(file_elements(source.graph_source.elements))  # type: ignore[arg-type]  # a table's
    (tmp_path / "a=2/f").unlink()
    (tmp_path / "b=2/a=3").mkdir(parents=True)
    (tmp_path / "b=2/a=3/f").touch()
    with pytest.raises(DefinitionError, match="'b=2' is not a value of the partition column 'a'"):
        list(file_elements(source.graph_source.elements))  # type: ignore[arg-type]  # a table's
