"""Rows of a typed collection are written in the order of their fields, as Flink's Java does, whose rows have no names."""

from __future__ import annotations

from kafkastream.common import Row, Types
from kafkastream.datastream.formats.avro import AvroRowSerializationSchema
from kafkastream.datastream.formats.csv import CsvRowSerializationSchema
from kafkastream.datastream.formats.json import JsonRowSerializationSchema
from kafkastream.model.common.element_types import typed_elements

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
