"""Bulk formats of ``FileSink`` and ``FileSource``: what is in the files, and what comes out of them."""

from __future__ import annotations

import datetime
import io
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kafkastream.common import Instant, Row
from kafkastream.common.configuration import Configuration
from kafkastream.common.serialization import BulkWriterFactory
from kafkastream.datastream.connectors.file_system import (
    BulkFormat,
    FileSink,
    FileSource,
    OnCheckpointRollingPolicy,
    RollingPolicy,
    StreamFormat,
    StreamingFileSink,
)
from kafkastream.datastream.formats.avro import AvroBulkWriters, AvroSchema, GenericRecordAvroTypeInfo
from kafkastream.datastream.formats.csv import CsvBulkWriters, CsvReaderFormat, CsvSchema
from kafkastream.datastream.formats.parquet import ParquetBulkWriters, ParquetColumnarRowInputFormat
from kafkastream.errors import ArgumentError, DefinitionError, KafkastreamError, StorageError, UnsupportedFeatureError
from kafkastream.model.formats.csv_text import CsvDialect
from kafkastream.spark.sql.files.file_contents import file_elements
from kafkastream.spark.sql.files.part_formats import part_format
from kafkastream.spark.worker.batches import ElementError
from kafkastream.table.types import DataTypes

NOON = datetime.datetime(2026, 3, 1, 12, 0, 0, 123456)  # noqa: DTZ001 - SQL's timestamps have no zone
ROW = DataTypes.ROW(
    [
        DataTypes.FIELD("id", DataTypes.BIGINT()),
        DataTypes.FIELD('na"me', DataTypes.STRING()),
        DataTypes.FIELD("tiny", DataTypes.TINYINT()),
        DataTypes.FIELD("price", DataTypes.DECIMAL(10, 2)),
        DataTypes.FIELD("day", DataTypes.DATE()),
        DataTypes.FIELD("at", DataTypes.TIMESTAMP(6)),
        DataTypes.FIELD("seen", DataTypes.TIMESTAMP_LTZ(3)),
        DataTypes.FIELD("clock", DataTypes.TIME(3)),
        DataTypes.FIELD("raw", DataTypes.BYTES()),
        DataTypes.FIELD("tags", DataTypes.ARRAY(DataTypes.STRING())),
        DataTypes.FIELD("counts", DataTypes.MAP(DataTypes.STRING(), DataTypes.INT())),
        DataTypes.FIELD("inner", DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT())])),
    ]
)
NAMES = [field.name for field in ROW.fields]
VALUES = (
    7,
    "é",
    -1,
    Decimal("1.50"),
    datetime.date(2026, 3, 1),
    NOON,
    Instant.of_epoch_milli(1_700_000_000_123),
    datetime.time(12, 30, 1),
    b"\x00\xff",
    ["x", None],
    {"k": 1},
    Row(a=1),
)


def named(*values: Any) -> Row:
    row = Row(*values)
    row.set_field_names(NAMES)
    return row


ROWS = [named(*VALUES), named(*[None] * len(NAMES))]


def write(factory: BulkWriterFactory, *batches: Sequence[Any]) -> bytes:
    """What a part holds."""
    format_ = part_format(factory, None)
    stream = io.BytesIO()
    part = format_.begin(stream)
    for values in batches:
        for folder, chunk in format_.chunks(values):
            assert folder is None
            assert part.write(chunk, 0, None) == len(values)
    assert part.size >= 0
    part.end()
    return stream.getvalue()


def read(tmp_path: Path, format_: StreamFormat | BulkFormat, *contents: bytes) -> list[Any]:
    for number, one in enumerate(contents):
        (tmp_path / f"part-{number}").write_bytes(one)
    if isinstance(format_, BulkFormat):
        return list(file_elements(FileSource.for_bulk_file_format(format_, str(tmp_path)).build().contents))
    return list(file_elements(FileSource.for_record_stream_format(format_, str(tmp_path)).build().contents))


def test_rows_come_out_of_parquet_as_they_went_in(tmp_path: Path) -> None:
    written = write(ParquetBulkWriters.for_row_type(ROW), ROWS, ROWS[:1])
    found = read(tmp_path, ParquetColumnarRowInputFormat(ROW, batch_size=2), written)
    assert found == [*ROWS, ROWS[0]]
    schema = pq.ParquetFile(io.BytesIO(written)).schema
    assert [schema.column(place).physical_type for place in range(5)] == [
        "INT64",
        "BYTE_ARRAY",
        "INT32",
        "FIXED_LEN_BYTE_ARRAY",
        "INT32",
    ]
    assert (schema.column(5).physical_type, schema.column(6).physical_type) == ("INT96", "INT96")
    assert str(schema.column(7).logical_type).startswith("Time(isAdjustedToUTC=false, timeUnit=milliseconds")
    assert pq.ParquetFile(io.BytesIO(written)).metadata.row_group(0).column(0).compression == "SNAPPY"


def test_timestamps_of_parquet_go_by_the_machines_clock_unless_said_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    row = DataTypes.ROW([DataTypes.FIELD("at", DataTypes.TIMESTAMP(6))])
    local = write(ParquetBulkWriters.for_row_type(row), [Row(NOON)])
    utc = write(ParquetBulkWriters.for_row_type(row, utc_timestamp=True), [Row(NOON)])
    stored = [pq.read_table(io.BytesIO(one))["at"].cast(pa.timestamp("us")).to_pylist() for one in (local, utc)]
    assert stored == [[NOON + datetime.timedelta(hours=5)], [NOON]]
    assert read(tmp_path, ParquetColumnarRowInputFormat(row), local) == [Row(at=NOON)]
    assert read(tmp_path, ParquetColumnarRowInputFormat(row, is_utc_timestamp=True), utc) == [Row(at=NOON)]
    nested = DataTypes.ROW([DataTypes.FIELD("all", DataTypes.ARRAY(DataTypes.TIMESTAMP(6)))])
    with pytest.raises(UnsupportedFeatureError, match="'all' by the clock of America/New_York"):
        write(ParquetBulkWriters.for_row_type(nested))


def test_parquet_is_written_as_it_is_configured() -> None:
    config = (
        Configuration().set_string("parquet.compression", "GZIP").set_boolean("parquet.write.int64.timestamp", True)
    )
    config.set_string("parquet.timestamp.time.unit", "millis").set_string("fs.defaultFS", "x")
    config.set_string("parquet.block.size", "1")
    written = write(ParquetBulkWriters.for_row_type(ROW, config, True), ROWS, ROWS)
    found = pq.ParquetFile(io.BytesIO(written))
    assert found.metadata.row_group(0).column(0).compression == "GZIP"
    assert found.num_row_groups == 2
    assert [str(found.schema_arrow.field(place).type) for place in (5, 6)] == ["timestamp[ms]", "timestamp[ms, tz=UTC]"]


def test_columns_of_parquet_are_found_by_their_names(tmp_path: Path) -> None:
    table = pa.table({"B": pa.array(["b"]), "a": pa.array([1], pa.int32()), "c": pa.array([1.5])})
    out = io.BytesIO()
    pq.write_table(table, out)
    row = DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT()), DataTypes.FIELD("b", DataTypes.STRING())])
    assert read(tmp_path, ParquetColumnarRowInputFormat(row), out.getvalue()) == [Row(a=1, b=None)]
    assert read(tmp_path, ParquetColumnarRowInputFormat(row, is_case_sensitive=False)) == [Row(a=1, b="b")]
    other = DataTypes.ROW([DataTypes.FIELD("a", DataTypes.BIGINT())])
    with pytest.raises(StorageError, match="column 'a' is int32, not int64"):
        read(tmp_path, ParquetColumnarRowInputFormat(other))
    with pytest.raises(StorageError, match="cannot read"):
        read(tmp_path, ParquetColumnarRowInputFormat(row), b"no Parquet")


SCHEMA = (
    CsvSchema.builder()
    .add_number_column("id", DataTypes.INT())
    .add_string_column("na,me")
    .add_boolean_column("is")
    .add_array_column("list", "#", DataTypes.INT())
)


def test_rows_come_out_of_csv_as_they_went_in(tmp_path: Path) -> None:
    schema = SCHEMA.set_use_header().set_strict_headers().build()
    rows = [Row(1, 'a\nb|"c"', True, [1, 2]), Row(-5, "", False, [])]
    written = write(CsvBulkWriters.for_schema(schema), rows)
    assert written == b'id,"na,me",is,list\n1,"a\nb|""c""",true,"1#2"\n-5,,false,\n'
    found = read(tmp_path, CsvReaderFormat.for_schema(schema), written)
    assert [list(row) for row in found] == [[1, 'a\nb|"c"', True, [1, 2]], [-5, "", False, []]]
    assert (schema.size(), len(schema), found[0].as_dict().keys()) == (4, 4, {"id", "na,me", "is", "list"})


READ: dict[str, tuple[Callable[[Any], Any], bytes, list[list[Any]]]] = {
    "plain": (lambda schema: schema, b"1,a\r\n2,b", [[1, "a"], [2, "b"]]),
    "null": (lambda schema: schema.set_null_value("-"), b"-,a\n2,-\n", [[None, "a"], [2, None]]),
    "skipped": (lambda schema: schema.set_skip_first_data_row(), b"x,y\n2,b\n", [[2, "b"]]),
    "comments": (lambda schema: schema.set_allow_comments(), b"#x\n2,b\n#y", [[2, "b"]]),
    "escaped": (lambda schema: schema.set_escape_char("\\"), b'2,"\\"b"\n', [[2, '"b']]),
    "quoted": (lambda schema: schema.set_quote_char("'"), b"2,'b\n,''c'\n", [[2, "b\n,'c"]]),
    "unquoted": (lambda schema: schema.disable_quote_char().disable_escape_char(), b'2,"b\n', [[2, '"b']]),
    "nothing": (lambda schema: schema, b"", []),
}


@pytest.mark.parametrize("name", READ)
def test_csv_is_read_as_the_schema_says(name: str, tmp_path: Path) -> None:
    change, contents, rows = READ[name]
    builder = CsvSchema.builder().add_number_column("id").add_string_column("name")
    schema = change(builder).build()
    assert [list(row) for row in read(tmp_path, CsvReaderFormat.for_schema(schema), contents)] == rows


def test_csv_that_does_not_fit_is_told(tmp_path: Path) -> None:
    schema = CsvSchema.builder().add_number_column("id").set_use_header().set_strict_headers().build()
    with pytest.raises(StorageError, match="the header is name, and the columns are id"):
        read(tmp_path, CsvReaderFormat.for_schema(schema), b"name\n1\n")
    with pytest.raises(StorageError, match="a row of CSV cannot be read") as caught:
        read(tmp_path, CsvReaderFormat.for_schema(schema), b"id\nx\n")
    assert caught.value.where.endswith("part-0: 'x'")


@pytest.mark.parametrize("text", ['a,b\n"c\nd",e\r\n', 'x"y\n"a""\nb"\n', '"a\n\n\n"', "", "\n\n", '"never\nends'])
def test_lines_are_joined_where_a_quote_is_open(text: str) -> None:
    records = list(CsvDialect().records(io.StringIO(text, newline="")))
    assert "\n".join(records).replace("\r", "") == text.replace("\r", "").removesuffix("\n") or text.endswith('"')
    assert (
        len(records)
        == {
            'a,b\n"c\nd",e\r\n': 2,
            'x"y\n"a""\nb"\n': 2,
            '"a\n\n\n"': 1,
            "": 0,
            "\n\n": 2,
            '"never\nends': 1,
        }[text]
    )


def test_records_are_written_to_avro_files() -> None:
    text = '{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]}'
    schema = AvroSchema.parse_string(text)
    factory = AvroBulkWriters.for_generic_record(schema)
    records = [{"id": 7}, {"id": 8}]
    assert list(fastavro.reader(io.BytesIO(write(factory, records)))) == records
    assert GenericRecordAvroTypeInfo(schema) == GenericRecordAvroTypeInfo(AvroSchema(text))
    with pytest.raises(ElementError):
        write(factory, [{"id": "x"}])


def test_avro_schemas_are_read_from_files(tmp_path: Path) -> None:
    (tmp_path / "a.avsc").write_text('{"type": "record", "name": "A", "fields": []}')
    assert str(AvroSchema.parse_file(str(tmp_path / "a.avsc"))) == '{"type":"record","name":"A","fields":[]}'
    with pytest.raises(DefinitionError, match="cannot be read"):
        AvroSchema.parse_file(str(tmp_path / "b.avsc"))


def test_bulk_files_end_with_their_micro_batch() -> None:
    factory = ParquetBulkWriters.for_row_type(ROW)
    builder = FileSink.for_bulk_format("/data", factory).with_rolling_policy(OnCheckpointRollingPolicy())
    assert builder.build() == FileSink(base_path="/data", encoder=factory, rolling_policy=OnCheckpointRollingPolicy())
    with pytest.warns(DeprecationWarning, match="Use FileSink"):
        older = StreamingFileSink.for_bulk_format("/data", factory).build()
    assert older.to_sink().encoder == factory
    with pytest.raises(ArgumentError, match="OnCheckpointRollingPolicy"):
        builder.with_rolling_policy(RollingPolicy.default_rolling_policy())  # type: ignore[arg-type]  # what this is about


REFUSED: dict[str, tuple[Callable[[], Any], type[KafkastreamError], str]] = {
    "no row": (lambda: ParquetBulkWriters.for_row_type(DataTypes.INT()), DefinitionError, "is not a ROW type"),
    "interval": (
        lambda: ParquetColumnarRowInputFormat(
            DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INTERVAL(DataTypes.DAY()))])
        ),
        DefinitionError,
        "Unsupported type",
    ),
    "option": (
        lambda: ParquetBulkWriters.for_row_type(ROW, Configuration().set_string("parquet.bloom.filter", "x")),
        UnsupportedFeatureError,
        "without 'parquet.bloom.filter'",
    ),
    "value": (
        lambda: ParquetBulkWriters.for_row_type(ROW, Configuration().set_string("parquet.compression", "RAR")),
        DefinitionError,
        "'RAR' is not a value of 'parquet.compression'",
    ),
    "separators": (
        lambda: CsvSchema.builder().add_array_column("a", ";").add_array_column("b", "#").build(),
        UnsupportedFeatureError,
        "separators",
    ),
    "more columns": (
        lambda: CsvSchema.builder().set_any_property_name("rest"),
        UnsupportedFeatureError,
        "beyond those of the schema",
    ),
    "separator": (lambda: CsvSchema.builder().set_column_separator("||"), DefinitionError, "not one character"),
    "no schema": (lambda: AvroSchema.parse_string("{}"), DefinitionError, "Avro schema"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused_at_the_call(name: str) -> None:
    call, error, told = REFUSED[name]
    with pytest.raises(error, match=told):
        call()
