"""Protobuf messages as rows of tables and back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from kafkastream.errors import DefinitionError, DeserializationError
from kafkastream.spark.session.translate_errors import translated
from kafkastream.spark.sql.formats.message_format import encoder_of, reader_of
from kafkastream.spark.sql.formats.protobuf_messages import protobuf_decoder
from kafkastream.sql.connectors import KafkaTableSink, KafkaTableSource, sink_of, source_of
from kafkastream.sql.formats import ProtobufFormat
from tests.unit.spark.tables.frames import read, table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TYPES = {
    "double": 1, "float": 2, "int64": 3, "uint64": 4, "int32": 5, "bool": 8, "string": 9, "bytes": 12, "uint32": 13,
}  # fmt: skip
COLUMNS = (
    "d DOUBLE, f FLOAT, n BIGINT, u BIGINT, i INT, b BOOLEAN, s STRING, y BYTES, w INT, e STRING, p ROW<`x` INT>, "
    "names ARRAY<STRING>, parts ARRAY<ROW<`x` INT>>, counts MAP<STRING, BIGINT>, places MAP<INT, ROW<`x` INT>>, "
    "`one` INT, other STRING"
)
SIMPLE = dict(zip("dfnuibsyw", TYPES, strict=True))
LABEL_REPEATED = 3

Descriptors = Callable[[str], tuple[Any, dict[str, str]]]


def file_of(syntax: str) -> Any:
    """A message with fields of all kinds."""
    file: Any = descriptor_pb2.FileDescriptorProto()
    file.name, file.package, file.syntax = f"{syntax}.proto", "shop", syntax
    colors = file.enum_type.add(name="Color")
    colors.value.add(name="RED", number=0)
    colors.value.add(name="BLUE", number=5)
    file.message_type.add(name="Place").field.add(name="x", number=1, type=TYPES["int32"], label=1)
    order = file.message_type.add(name="Order")
    order.oneof_decl.add(name="either")

    def field(name: str, kind: int, label: int = 1, **more: Any) -> None:
        order.field.add(name=name, number=len(order.field) + 1, type=kind, label=label, **more)

    for name, kind in SIMPLE.items():
        field(name, TYPES[kind])
    field("e", 14, type_name=".shop.Color")
    field("p", 11, type_name=".shop.Place")
    field("names", TYPES["string"], LABEL_REPEATED)
    field("parts", 11, LABEL_REPEATED, type_name=".shop.Place")
    for name, key, value in (
        ("counts", "string", {"type": TYPES["int64"]}),
        ("places", "int32", {"type": 11, "type_name": ".shop.Place"}),
    ):
        entry = order.nested_type.add(name=f"{name.capitalize()}Entry")
        entry.options.map_entry = True
        entry.field.add(name="key", number=1, type=TYPES[key], label=1)
        entry.field.add(name="value", number=2, label=1, **value)
        field(name, 11, LABEL_REPEATED, type_name=f".shop.Order.{entry.name}")
    field("one", TYPES["int32"], oneof_index=0)
    field("other", TYPES["string"], oneof_index=0)
    return file


@pytest.fixture
def descriptors(tmp_path: Path) -> Descriptors:
    """Makes a file as protoc does; gives the class, and the options of a table that names it."""

    def make(syntax: str) -> tuple[Any, dict[str, str]]:
        file, pool = file_of(syntax), descriptor_pool.DescriptorPool()
        pool.Add(file)
        path = tmp_path / f"{syntax}.desc"
        files = descriptor_pb2.FileDescriptorSet()
        files.file.append(file)
        path.write_bytes(files.SerializeToString())
        options = {
            "format": "protobuf",
            "protobuf.message-class-name": "shop.Order",
            "protobuf.descriptor-file": str(path),
        }
        return message_factory.GetMessageClass(pool.FindMessageTypeByName("shop.Order")), options

    return make


FULL: dict[str, Any] = {
    "d": 0.1, "f": 0.5, "n": -1, "u": 2**64 - 1, "i": -7, "b": True, "s": "é", "y": b"\0\xff", "w": 2**32 - 2, "e": 5,
    "p": {"x": 1}, "names": ["a", "b"], "parts": [{"x": 2}, {}], "counts": {"k": 3}, "places": {4: {"x": 5}},
    "other": "last",
}  # fmt: skip
ROW = (
    0.1, 0.5, -1, -1, -7, True, "é", b"\0\xff", -2, "BLUE", (1,), ["a", "b"], [(2,), (0,)], {"k": 3}, {4: (5,)}, 0, "last"
)  # fmt: skip


def test_proto3_messages(session: SparkSession, descriptors: Descriptors) -> None:
    """Fields that are not there have their defaults, as in Flink."""
    order, options = descriptors("proto3")
    definition = table(COLUMNS, {**options, "protobuf.ignore-parse-errors": "true"})
    messages = [order(**FULL).SerializeToString(), b"", b"\xff", None]
    none: tuple[Any, ...] = (0.0, 0.0, 0, 0, 0, False, "", b"", 0, "RED", (0,), [], [], {}, {}, 0, "")
    assert read(session, definition, messages) == [(0, *ROW), (1, *none)]
    for bad, reason in {b"\xff": "Failed to deserialize PB object", None: "PB object: there is none"}.items():
        with pytest.raises(Exception, match="cannot decode") as failed:
            read(session, table("i INT", options), [bad])
        error = translated(failed.value, "job", "")
        assert isinstance(error, DeserializationError)
        assert reason in str(error)


def test_proto2_messages(descriptors: Descriptors) -> None:
    """Fields that are not there are NULL, or have their defaults if it is asked for."""
    order, options = descriptors("proto2")
    columns = "i INT, p ROW<`x` INT>, names ARRAY<STRING>, counts MAP<STRING, BIGINT>, e INT"
    cases: list[tuple[dict[str, str], tuple[Any, ...]]] = [
        ({}, (None, None, None, None, None)),
        ({"protobuf.read-default-values": "true"}, (0, {"x": 0}, [], [], 0)),
    ]
    for more, none in cases:
        source = source_of(table(columns, {**options, **more}))
        assert isinstance(source, KafkaTableSource)
        assert isinstance(source.value.format, ProtobufFormat)
        decode = protobuf_decoder(source.value, source.value.format).opened()
        assert tuple(decode(b"").values()) == none
        there = order(i=0, p={}, names=["a"], counts={"k": 1}, e=5).SerializeToString()
        assert tuple(decode(there).values()) == (0, {"x": None if not more else 0}, ["a"], [("k", 1)], 5)


def test_text_that_is_not_utf8(descriptors: Descriptors) -> None:
    """Java replaces it in proto2 messages, and refuses it in proto3 ones."""
    for syntax in ("proto2", "proto3"):
        order, options = descriptors(syntax)
        source = source_of(table("s STRING, names ARRAY<STRING>", options))
        assert isinstance(source, KafkaTableSource)
        assert isinstance(source.value.format, ProtobufFormat)
        decode = protobuf_decoder(source.value, source.value.format).opened()
        message = order(s="a~", names=["~"]).SerializeToString().replace(b"~", b"\xff")
        if syntax == "proto2":
            assert decode(message) == {"s": "a\ufffd", "names": ["\ufffd"]}
        else:
            with pytest.raises(ValueError, match="bad UTF-8"):
                decode(message)


def test_rows_become_messages(session: SparkSession, descriptors: Descriptors) -> None:
    order, options = descriptors("proto3")
    definition = table(COLUMNS, {**options, "protobuf.write-null-string-literal": "none"})
    sink = sink_of(definition)
    assert isinstance(sink, KafkaTableSink)
    encoder = encoder_of(sink.value)
    assert encoder is not None
    encode = encoder.opened()
    names = list(order.DESCRIPTOR.fields_by_name)
    row = dict(zip(names, ROW, strict=True)) | {
        "p": {"x": 1}, "parts": [{"x": 2}, None], "counts": [("k", 3)], "places": [(4, {"x": 5})], "one": 9,
    }  # fmt: skip
    assert order.FromString(encode(row)) == order(**FULL)
    nothing = dict.fromkeys(names)
    assert encode(nothing) == b""
    odd = order.FromString(
        encode({**nothing, "e": "GREEN", "names": ["a", None], "counts": [("k", None)], "p": {"x": None}})
    )
    assert (odd.e, list(odd.names), dict(odd.counts), odd.HasField("p")) == (0, ["a", "none"], {"k": 0}, True)


def test_a_class_of_a_module(session: SparkSession) -> None:
    name = {"format": "protobuf", "protobuf.message-class-name": "google.protobuf.wrappers_pb2:StringValue"}
    definition = table("`value` STRING", name)
    assert read(session, definition, [b"\n\x01a"]) == [(0, "a")]


@pytest.mark.parametrize(
    ("columns", "options", "reason"),
    [
        ("nix INT", {}, "Column nix does not exist in definition of proto class."),
        ("i BIGINT", {}, r"INT\(protobuf\) is not compatible with BIGINT"),
        ("names STRING", {}, "Unexpected LogicalType: STRING. It should be ArrayType"),
        ("p MAP<STRING, INT>", {}, "It should be RowType"),
        ("counts ROW<`k` INT>", {}, "It should be MapType"),
        ("i INT", {"protobuf.message-class-name": "shop.Nix"}, "there is no Protobuf message 'shop.Nix'"),
        ("i INT", {"protobuf.descriptor-file": "/nowhere"}, "No such file"),
    ],
)
def test_what_does_not_fit(descriptors: Descriptors, columns: str, options: dict[str, str], reason: str) -> None:
    source = source_of(table(columns, {**descriptors("proto3")[1], **options}))
    assert isinstance(source, KafkaTableSource)
    with pytest.raises(DefinitionError, match=reason):
        reader_of(source.value)
