"""Rows of a typed collection are written in the order of their fields, as Flink's Java does, whose rows have no names."""

from __future__ import annotations

from kafkastream.common import Row, Types
from kafkastream.datastream.formats.avro import AvroRowSerializationSchema
from kafkastream.datastream.formats.csv import CsvRowSerializationSchema
from kafkastream.datastream.formats.json import JsonRowSerializationSchema
from kafkastream.model.common.element_types import typed_elements
from kafkastream.model.formats import SimpleStringSchema
from kafkastream.model.formats.rows_by_position import by_position

AVRO = """
{"type": "record", "name": "R", "fields": [{"name": "id", "type": "int"}, {"name": "name", "type": "string"}]}
"""
NAMED = Types.ROW_NAMED(["id", "name"], [Types.INT(), Types.STRING()])
(ROW,) = typed_elements([(1, "hi")], Types.ROW([Types.INT(), Types.STRING()]))


def test_rows_with_other_names_are_written_in_order() -> None:
    assert isinstance(ROW, Row)
    assert AvroRowSerializationSchema(avro_schema_string=AVRO).serialize(ROW) == b"\x02\x04hi"
    assert CsvRowSerializationSchema.Builder(NAMED).build().serialize(ROW) == b"1,hi\n"
    assert JsonRowSerializationSchema.Builder().with_type_info(NAMED).build().serialize(ROW) == b'{"id":1,"name":"hi"}'


def test_rows_with_these_names_are_written_by_name() -> None:
    schema = AvroRowSerializationSchema(avro_schema_string=AVRO)
    assert schema.serialize(Row(name="hi", id=1)) == b"\x02\x04hi"
    assert schema.serialize(Row(id=1, label="hi")) == b"\x02\x04hi"


def test_rows_of_a_declared_type_are_written_by_position_whatever_their_names() -> None:
    texts = [Types.STRING(), Types.STRING()]
    declared, written = Types.ROW_NAMED(["b", "a"], texts), Types.ROW_NAMED(["a", "b"], texts)
    row = Row(b="first", a="second")
    json = JsonRowSerializationSchema.Builder().with_type_info(written).build()
    assert by_position(json, declared).serialize(row) == b'{"a":"first","b":"second"}'
    assert by_position(json, None).serialize(row) == b'{"a":"second","b":"first"}'
    csv = CsvRowSerializationSchema.Builder(written).build()
    assert by_position(csv, declared).serialize(row) == b"first,second\n"
    fields = '[{"name": "a", "type": "string"}, {"name": "b", "type": "string"}]'
    avro = AvroRowSerializationSchema(avro_schema_string=f'{{"type": "record", "name": "R", "fields": {fields}}}')
    assert by_position(avro, declared).serialize(row) == b"\x0afirst\x0csecond"


def test_nested_rows_of_a_declared_type_are_written_by_position() -> None:
    texts = [Types.STRING(), Types.STRING()]
    declared, written = (
        Types.ROW_NAMED(["r", "l"], [pair, Types.OBJECT_ARRAY(pair)])
        for pair in (Types.ROW_NAMED(["b", "a"], texts), Types.ROW_NAMED(["a", "b"], texts))
    )
    pair = Row(b="1", a="2")
    schema = by_position(JsonRowSerializationSchema.Builder().with_type_info(written).build(), declared)
    assert schema.serialize(Row(r=pair, l=[pair])) == b'{"r":{"a":"1","b":"2"},"l":[{"a":"1","b":"2"}]}'


def test_schemas_that_write_by_position_anyhow_stay_as_they_are() -> None:
    json = JsonRowSerializationSchema.Builder().with_type_info(NAMED).build()
    assert by_position(json, NAMED) is json
    text = SimpleStringSchema()
    assert by_position(text, NAMED) is text
    assert by_position(None, NAMED) is None
