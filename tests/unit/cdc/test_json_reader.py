"""Plain JSON: tables, columns of keys, values and metadata, nested members and fixed types."""

from __future__ import annotations

import pickle
from typing import Any

import msgspec
import pytest

from kafkastream.cdc.captured import metadata_column
from kafkastream.cdc.errors import MalformedRecordError, SchemaMismatchError
from kafkastream.cdc.formats.json_reader import FIXED_TYPES, TABLE_ID_FIELDS, Json
from kafkastream.cdc.merge import merged
from kafkastream.cdc.reader import ChangeReader, ReadSettings
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.errors import DefinitionError
from kafkastream.sql.syntax.data_types import parse_type

T = TableId(("t",))


def settings(reading: dict[str, Any] | None = None, **options: Any) -> ReadSettings:
    return ReadSettings(value=Json(**options), **(reading or {}))


def shown(schema: TableSchema) -> str:
    return ", ".join(f"{column.name} {column.type}" for column in schema.columns)


def inferred(value: bytes, read: ReadSettings, key: bytes | None = None) -> TableSchema:
    [(_, schema)] = ChangeReader(read, {}).infer("t", key, value)
    return schema


def row(
    value: bytes, read: ReadSettings, schema: TableSchema, key: bytes | None = None, metadata: tuple[Any, ...] = ()
) -> tuple[Any, ...]:
    reader = ChangeReader(pickle.loads(pickle.dumps(read)), pickle.loads(pickle.dumps({T: schema})))
    [change] = reader.read("t", key, value, metadata)
    return tuple(msgspec.structs.astuple(change.after))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "table"),
    [("col0", "a"), ("col0,col1", "a.5"), ("col0,col1,col2", "a.5.c.d")],
    ids=["one", "two", "three"],
)
def test_fields_name_the_table(fields: str, table: str) -> None:
    value = b'{"col0":"a","col1":5,"col2":"c.d"}'
    read = settings(table_id_fields=TABLE_ID_FIELDS.read(fields))
    [(found, schema)] = ChangeReader(read, {}).infer("topic", None, value)
    assert (str(found), len(found.parts)) == (table, fields.count(",") + 1)
    [change] = ChangeReader(read, {found: schema}).read("topic", None, value)
    assert change.table == found


def test_a_field_with_quotes_names_the_table() -> None:
    value = b'{"the \\"table\\"":"a"}'
    read = settings(table_id_fields=('the "table"',))
    [(found, schema)] = ChangeReader(read, {}).infer("topic", None, value)
    assert (str(found), schema.names) == ("a", ('the "table"',))


@pytest.mark.parametrize("value", [b'{"a":"x"}', b'{"b":null}', b'{"b":""}', b"null", b"[]"])
def test_a_table_without_a_name_is_malformed(value: bytes) -> None:
    with pytest.raises(MalformedRecordError):
        ChangeReader(settings(table_id_fields=("b",)), {}).read("topic", None, value)


def test_a_table_id_has_three_parts_at_most() -> None:
    with pytest.raises(DefinitionError, match="at most 3 parts"):
        TABLE_ID_FIELDS.read("a,b,c,d")


NESTED = b'{"id":1,"a":{"b":1.50,"c":{"d":"x","e":[1, 2]},"n":null},"empty":{}}'


def test_nested_members_are_text() -> None:
    read = settings()
    assert shown(inferred(NESTED, read)) == "id BIGINT, a STRING, empty STRING"
    text = '{"b":1.50,"c":{"d":"x","e":[1,2]},"n":null}'
    assert row(NESTED, read, inferred(NESTED, read)) == (1, text, "{}")


def test_nested_members_are_columns_if_wanted() -> None:
    read = settings(flatten_nested_columns=True)
    schema = inferred(NESTED, read)
    assert shown(schema) == "id BIGINT, a.b DOUBLE, a.c.d STRING, a.c.e STRING, empty STRING"
    assert row(NESTED, read, schema) == (1, 1.5, "x", "[1,2]", "{}")
    with pytest.raises(SchemaMismatchError, match="'a'"):
        row(b'{"a":5}', read, schema)


def test_primitives_are_text_if_wanted() -> None:
    value = b'{"id":1,"price":1.50,"at":"2024-05-01 12:30:00","flag":true,"big":1e400}'
    read = settings(primitive_as_string=True)
    schema = inferred(value, read)
    assert {str(column.type) for column in schema.columns} == {"STRING"}
    assert row(value, read, schema) == ("1", "1.50", "2024-05-01 12:30:00", "true", "1e400")


def test_fixed_types_stay() -> None:
    read = settings(fixed_types=FIXED_TYPES.read("id SMALLINT, name VARCHAR(10), at STRING"))
    value = b'{"id":1,"name":null,"at":"2024-05-01 12:30:00","x":1}'
    schema = inferred(value, read)
    assert shown(schema) == "id SMALLINT, name VARCHAR(10), at STRING, x BIGINT"
    assert row(value, read, schema) == (1, None, "2024-05-01 12:30:00", 1)
    for misfit in (b'{"id":100000}', b'{"name":"longer than ten"}'):
        with pytest.raises(MalformedRecordError):
            row(misfit, read, schema)
        with pytest.raises(MalformedRecordError):
            inferred(misfit, read)


def test_fixed_types_may_have_comments_and_any_word_as_a_name() -> None:
    read = FIXED_TYPES.read("day DATE COMMENT 'of the order', no INT, r ROW<value INT>")
    assert {name: str(type_) for name, type_ in read.items()} == {"day": "DATE", "no": "INT", "r": "ROW<`value` INT>"}


@pytest.mark.parametrize(
    "text", ["", "id", "id INT 'x'", "id BIGINT; DROP", "id BIGNIT", "a AS b", "id INTERVAL DAY TO SECOND"]
)
def test_fixed_types_are_names_and_types(text: str) -> None:
    with pytest.raises(DefinitionError):
        FIXED_TYPES.read(text)


KEY, VALUE = b'{"id":7,"name":"k"}', b'{"id":8,"at":"2024-05-01"}'


@pytest.mark.parametrize(
    ("prefixes", "columns", "values"),
    [
        (("k_", "v_"), "k_id BIGINT, k_name STRING, v_id BIGINT, v_at DATE", (7, "k", 8, "2024-05-01")),
        (("k_", ""), "k_id BIGINT, k_name STRING, id BIGINT, at DATE", (7, "k", 8, "2024-05-01")),
        (("", "v_"), "id BIGINT, name STRING, v_id BIGINT, v_at DATE", (7, "k", 8, "2024-05-01")),
    ],
    ids=["both", "key", "value"],
)
def test_members_of_keys_are_columns(prefixes: tuple[str, str], columns: str, values: tuple[Any, ...]) -> None:
    read = settings({"reads_key": True, "key_prefix": prefixes[0], "value_prefix": prefixes[1]})
    schema = inferred(VALUE, read, KEY)
    assert shown(schema) == columns
    assert row(VALUE, read, schema, KEY) == values
    assert row(VALUE, read, schema) == (None, None, *values[2:])


def test_a_column_of_key_and_value_has_one_value() -> None:
    read = settings({"reads_key": True})
    schema = inferred(b'{"id":7,"x":1}', read, KEY)
    assert shown(schema) == "id BIGINT, name STRING, x BIGINT"
    assert row(b'{"id":7,"x":1}', read, schema, KEY) == (7, "k", 1)
    assert row(b'{"x":1}', read, schema, KEY) == (7, "k", 1)
    with pytest.raises(MalformedRecordError, match=r"differ in 'id'; set key\.fields-prefix"):
        row(b'{"id":8,"x":1}', read, schema, KEY)


def test_a_key_that_is_no_object_is_malformed() -> None:
    read = settings({"reads_key": True})
    schema = inferred(VALUE, read)
    for key in (b"k1", b"5", b'{"id"'):
        with pytest.raises(MalformedRecordError):
            row(VALUE, read, schema, key)


def test_a_value_prefix_alone() -> None:
    read = settings({"value_prefix": "v_"})
    schema = inferred(VALUE, read)
    assert shown(schema) == "v_id BIGINT, v_at DATE"
    assert row(VALUE, read, schema) == (8, "2024-05-01")
    with pytest.raises(SchemaMismatchError) as caught:
        row(b'{"x":1}', read, schema)
    assert caught.value.found[0][1].names == ("v_x",)


def test_metadata_are_columns_wherever_they_stand() -> None:
    read = settings({"metadata": (metadata_column("offset"), metadata_column("topic"))})
    schema = inferred(VALUE, read)
    assert shown(schema) == "id BIGINT, at DATE, offset BIGINT, topic STRING"
    assert row(VALUE, read, schema, metadata=(5, "t")) == (8, "2024-05-01", 5, "t")
    later = merged(schema, inferred(b'{"x":1.5}', read))
    assert later.names == ("id", "at", "offset", "topic", "x")
    assert row(b'{"id":1,"x":2.5}', read, later, metadata=(6, "t")) == (1, None, 6, "t", 2.5)


def test_a_member_that_is_called_like_metadata_needs_a_prefix() -> None:
    read = settings({"metadata": (metadata_column("offset"),)})
    schema = inferred(VALUE, read)
    with pytest.raises(MalformedRecordError, match=r"'offset' .* set value\.fields-prefix"):
        row(b'{"id":1,"offset":2}', read, schema, metadata=(5,))
    prefixed = settings({"metadata": (metadata_column("offset"),), "value_prefix": "v_"})
    found = inferred(b'{"offset":2}', prefixed)
    assert row(b'{"offset":2}', prefixed, found, metadata=(5,)) == (2, 5)


def test_a_row_without_values_makes_no_table() -> None:
    for value in (b"{}", b'{"a":null}'):
        with pytest.raises(MalformedRecordError, match="table t has no values"):
            ChangeReader(settings(), {}).read("t", None, value)
    schema = TableSchema.of([("a", parse_type("INT"))])
    assert row(b"{}", settings(), schema) == (None,)


@pytest.mark.parametrize("is_static", [False, True], ids=["continuous", "static"])
def test_names_with_quotes_and_many_columns(is_static: bool) -> None:
    names = ['"quoted"', "back\\slash", "new\nline", "ünï", "", "f0", *(f"c{place}" for place in range(1000))]
    value = msgspec.json.encode(dict(zip(names, range(len(names)), strict=True)))
    read = settings({"is_static": is_static})
    schema = inferred(value, read)
    assert list(schema.names) == names
    assert row(value, read, schema) == tuple(range(len(names)))
