"""Formats: their options, what they read beside rows, and what they refuse."""

from __future__ import annotations

from typing import Any

import pytest

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.formats.csv_text import CsvDialect
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.formats import (
    FORMATS,
    AvroConfluentFormat,
    AvroEncoding,
    AvroFormat,
    CanalJsonFormat,
    CsvFormat,
    DebeziumJsonFormat,
    Endianness,
    Format,
    JsonFormat,
    MapNullKeyMode,
    MaxwellJsonFormat,
    ProtobufFormat,
    RawFormat,
    TimestampFormat,
    format_of,
)
from kafkastream.sql.formats.csv_format import java_unescaped
from kafkastream.sql.table_options import TableOptions
from kafkastream.sql.types import DataType, Kind, RowField
from tests.unit.sql.tables import BIGINT, STRING, at, table

CHANGES = {"debezium-json", "canal-json", "maxwell-json"}
URL = {"url": "http://r:8081"}


def made(identifier: str, options: dict[str, str]) -> Format:
    given = {"format": identifier, **{f"{identifier}.{key}": value for key, value in options.items()}}
    return format_of("format", TableOptions.of(table(given)), ("", "value."))


@pytest.mark.parametrize(
    ("identifier", "options", "format_"),
    [
        ("json", {}, JsonFormat()),
        ("json", {"fail-on-missing-field": "true"}, JsonFormat(fail_on_missing_field=True)),
        ("json", {"ignore-parse-errors": "true"}, JsonFormat(ignore_parse_errors=True)),
        ("json", {"timestamp-format.standard": "ISO-8601"}, JsonFormat(timestamp_format=TimestampFormat.ISO_8601)),
        (
            "json",
            {"map-null-key.mode": "LITERAL", "map-null-key.literal": "n"},
            JsonFormat(map_null_key_mode=MapNullKeyMode.LITERAL, map_null_key_literal="n"),
        ),
        ("json", {"encode.decimal-as-plain-number": "true"}, JsonFormat(encode_decimal_as_plain_number=True)),
        ("json", {"encode.ignore-null-fields": "true"}, JsonFormat(encode_ignore_null_fields=True)),
        ("json", {"decode.json-parser.enabled": "false"}, JsonFormat(decode_json_parser_enabled=False)),
        ("json", {"infer-schema.flatten-nested-columns.enable": "true"}, JsonFormat(flatten_nested_columns=True)),
        ("json", {"infer-schema.primitive-as-string": "true"}, JsonFormat(primitive_as_string=True)),
        (
            "csv",
            {"field-delimiter": r"\u0001", "quote-character": "'"},
            CsvFormat(field_delimiter="\1", quote_character="'"),
        ),
        ("csv", {"field-delimiter": r"\t"}, CsvFormat(field_delimiter="\t")),
        ("csv", {"disable-quote-character": "true"}, CsvFormat(disable_quote_character=True)),
        ("csv", {"allow-comments": "true"}, CsvFormat(allow_comments=True)),
        ("csv", {"ignore-parse-errors": "true"}, CsvFormat(ignore_parse_errors=True)),
        ("csv", {"array-element-delimiter": "|"}, CsvFormat(array_element_delimiter="|")),
        ("csv", {"escape-character": "\\"}, CsvFormat(escape_character="\\")),
        ("csv", {"null-literal": "n/a"}, CsvFormat(null_literal="n/a")),
        (
            "csv",
            {"write-bigdecimal-in-scientific-notation": "true"},
            CsvFormat(write_bigdecimal_in_scientific_notation=True),
        ),
        ("raw", {"charset": "UTF-16"}, RawFormat(charset="UTF-16")),
        ("raw", {"endianness": "little-endian"}, RawFormat(endianness=Endianness.LITTLE)),
        ("avro", {"encoding": "json"}, AvroFormat(encoding=AvroEncoding.JSON)),
        ("avro", {"codec": "snappy"}, AvroFormat(codec="snappy")),
        ("avro", {"timestamp_mapping.legacy": "false"}, AvroFormat(timestamp_mapping_legacy=False)),
        ("avro-confluent", {"url": "http://r:8081"}, AvroConfluentFormat(url="http://r:8081")),
        (
            "avro-confluent",
            {"schema-registry.url": "http://r:8081", "schema-registry.subject": "s", "schema-registry.schema": "{}"},
            AvroConfluentFormat(url="http://r:8081", subject="s", schema="{}"),
        ),
        (
            "avro-confluent",
            {**URL, "ssl.truststore.location": "/ca.pem", "ssl.truststore.password": "p"},
            AvroConfluentFormat(url="http://r:8081", truststore_location="/ca.pem", truststore_password="p"),
        ),
        (
            "avro-confluent",
            {**URL, "ssl.keystore.location": "/key.pem", "ssl.keystore.password": "p"},
            AvroConfluentFormat(url="http://r:8081", keystore_location="/key.pem", keystore_password="p"),
        ),
        (
            "avro-confluent",
            {**URL, "basic-auth.credentials-source": "USER_INFO", "basic-auth.user-info": "u:p"},
            AvroConfluentFormat(url="http://r:8081", basic_source="USER_INFO", basic_user_info="u:p"),
        ),
        (
            "avro-confluent",
            {**URL, "bearer-auth.credentials-source": "STATIC_TOKEN", "bearer-auth.token": "t"},
            AvroConfluentFormat(url="http://r:8081", bearer_source="STATIC_TOKEN", bearer_token="t"),
        ),
        (
            "avro-confluent",
            {**URL, "auto.register.schemas": "false", "properties.a.b": "c"},
            AvroConfluentFormat(
                url="http://r:8081",
                auto_register_schemas=False,
                properties=FrozenMap({"a.b": "c"}),
            ),
        ),
        (
            "protobuf",
            {"message-class-name": "orders_pb2:Order", "ignore-parse-errors": "true", "read-default-values": "true"},
            ProtobufFormat(message_class_name="orders_pb2:Order", ignore_parse_errors=True, read_default_values=True),
        ),
        (
            "protobuf",
            {"message-class-name": "shop.Order", "descriptor-file": "/o.desc", "write-null-string-literal": "-"},
            ProtobufFormat(message_class_name="shop.Order", descriptor_file="/o.desc", write_null_string_literal="-"),
        ),
        ("debezium-json", {"schema-include": "true"}, DebeziumJsonFormat(schema_include=True)),
        ("debezium-json", {"ignore-parse-errors": "true"}, DebeziumJsonFormat(ignore_parse_errors=True)),
        (
            "canal-json",
            {"database.include": "shop.*", "table.include": "orders"},
            CanalJsonFormat(database_include="shop.*", table_include="orders"),
        ),
        (
            "maxwell-json",
            {"timestamp-format.standard": "ISO-8601", "encode.decimal-as-plain-number": "true"},
            MaxwellJsonFormat(timestamp_format=TimestampFormat.ISO_8601, encode_decimal_as_plain_number=True),
        ),
    ],
)
def test_options(identifier: str, options: dict[str, str], format_: Format) -> None:
    assert made(identifier, options) == format_


@pytest.mark.parametrize(
    ("identifier", "options", "text", "key"),
    [
        (
            "json",
            {"fail-on-missing-field": "true", "ignore-parse-errors": "true"},
            "fail-on-missing-field and ignore-parse-errors shouldn't both be true.",
            "json.fail-on-missing-field",
        ),
        (
            "json",
            {"timestamp-format.standard": "RFC-3339"},
            "Unsupported value 'RFC-3339' for 'json.timestamp-format.standard': expected one of SQL, ISO-8601",
            "json.timestamp-format.standard",
        ),
        (
            "json",
            {"map-null-key.mode": "KEEP"},
            "Unsupported value 'KEEP' for 'json.map-null-key.mode': expected one of FAIL, DROP, LITERAL",
            "json.map-null-key.mode",
        ),
        (
            "csv",
            {"field-delimiter": "||"},
            "Option 'csv.field-delimiter' must be a string with single character, but was: ||",
            "csv.field-delimiter",
        ),
        (
            "csv",
            {"array-element-delimiter": ""},
            "Option 'csv.array-element-delimiter' must be a string with single character, but was: ",
            "csv.array-element-delimiter",
        ),
        ("csv", {"quote-character": "''"}, "Option 'csv.quote-character' must be a string with", "csv.quote-character"),
        ("csv", {"escape-character": "ab"}, "Option 'csv.escape-character' must be a string", "csv.escape-character"),
        (
            "csv",
            {"quote-character": '"', "disable-quote-character": "true"},
            "Format cannot define a quote character and disabled quote character at the same time.",
            "csv.quote-character",
        ),
        ("raw", {"charset": "UTF-99"}, "Unsupported 'raw.charset' name: UTF-99.", "raw.charset"),
        ("raw", {"endianness": "middle"}, "expected one of big-endian, little-endian", "raw.endianness"),
        ("avro", {"encoding": "xml"}, "expected one of binary, json", "avro.encoding"),
        ("avro-confluent", {}, "Missing required options are: avro-confluent.url", "format"),
        ("avro-confluent", {"url": "r:8081"}, "is not the URL of a schema registry", "format"),
        ("protobuf", {}, "Missing required options are: protobuf.message-class-name", "format"),
        (
            "protobuf",
            {"message-class-name": "com.example.Order"},
            "Write 'module:Message' for Python's class, or 'package.Message' and 'descriptor-file'.",
            "protobuf.message-class-name",
        ),
        ("debezium-json", {"schema-include": "1"}, "expected true or false", "debezium-json.schema-include"),
    ],
)
def test_wrong_options(identifier: str, options: dict[str, str], text: str, key: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        made(identifier, options)
    assert text in str(caught.value)
    given = {"format": identifier, **{f"{identifier}.{key}": value for key, value in options.items()}}
    assert at(given, key) in str(caught.value)


def test_a_store_of_a_registry_is_pem() -> None:
    options = {**URL, "ssl.truststore.location": "/ca.jks", "properties.ssl.truststore.type": "JKS"}
    with pytest.raises(UnsupportedFeatureError, match=r"ssl\.truststore\.type is JKS"):
        made("avro-confluent", options)


def test_what_a_registry_is_asked_with() -> None:
    format_ = AvroConfluentFormat(
        url="http://r:8081",
        auto_register_schemas=False,
        basic_source="USER_INFO",
        basic_user_info="u:p",
        truststore_location="/ca.pem",
        properties=FrozenMap({"basic.auth.user.info": "other", "x": "y"}),
    )
    assert format_.registry.url == "http://r:8081"
    assert format_.registry.only_looks_up
    assert format_.registry.configs == {
        "auto.register.schemas": "false",
        "basic.auth.credentials.source": "USER_INFO",
        "basic.auth.user.info": "u:p",
        "ssl.truststore.location": "/ca.pem",
        "x": "y",
    }


def test_secrets_are_not_shown() -> None:
    secret = AvroConfluentFormat(
        url="http://u:hunter2@r",
        basic_source="USER_INFO",
        basic_user_info="u:hunter2",
        keystore_password="hunter2",
        truststore_password="hunter2",
        bearer_token="hunter2",
        properties=FrozenMap({"basic.auth.user.info": "hunter2"}),
    )
    assert "hunter2" not in repr(secret)


@pytest.mark.parametrize("identifier", FORMATS)
def test_kinds_of_rows(identifier: str) -> None:
    mode = ChangelogMode.RETRACT if identifier in CHANGES else ChangelogMode.APPEND
    assert FORMATS[identifier].changelog is mode
    assert FORMATS[identifier].identifier == identifier
    assert bool(FORMATS[identifier].metadata) is (identifier in CHANGES)


def test_metadata_of_changes() -> None:
    def types(kind: type[Format]) -> dict[str, str]:
        return {key: str(type_) for key, type_ in kind.metadata.items()}

    time = "TIMESTAMP_LTZ(3)"
    assert types(DebeziumJsonFormat) == {
        "schema": "STRING",
        "ingestion-timestamp": time,
        "source.timestamp": time,
        "source.database": "STRING",
        "source.schema": "STRING",
        "source.table": "STRING",
        "source.properties": "MAP<STRING, STRING>",
    }
    assert types(CanalJsonFormat) == {
        "database": "STRING",
        "table": "STRING",
        "sql-type": "MAP<STRING, INT>",
        "pk-names": "ARRAY<STRING>",
        "ingestion-timestamp": time,
        "event-timestamp": time,
    }
    assert types(MaxwellJsonFormat) == {
        "database": "STRING",
        "table": "STRING",
        "primary-key-columns": "ARRAY<STRING>",
        "ingestion-timestamp": time,
    }


def test_raw_is_one_simple_column() -> None:
    raw = RawFormat()
    assert raw.problem_with([RowField("a", STRING)]) is None
    row = DataType.of(Kind.ROW, fields=(RowField("a", BIGINT),))
    assert (
        raw.problem_with([RowField("r", row)]) == "The 'raw' format doesn't supports 'ROW<`a` BIGINT>' as column type."
    )
    problem = raw.problem_with([RowField("a", STRING), RowField("b", BIGINT.not_null())])
    assert problem is not None
    assert problem.endswith("multiple physical columns: [`a` STRING, `b` BIGINT NOT NULL]")


@pytest.mark.parametrize(
    ("format_", "dialect"),
    [
        (CsvFormat(), CsvDialect()),
        (CsvFormat(field_delimiter=";", quote_character="'"), CsvDialect(delimiter=";", quote="'")),
        (CsvFormat(disable_quote_character=True, escape_character="\\"), CsvDialect(quote=None, escape="\\")),
        (CsvFormat(allow_comments=True), CsvDialect(comments=True)),
    ],
)
def test_characters_of_csv(format_: CsvFormat, dialect: CsvDialect) -> None:
    assert format_.dialect == dialect


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (",", ","),
        (r"\t", "\t"),
        (r"\u0001", "\1"),
        (r"\uu0041b", "Ab"),
        (r"\101\7\0", "A\7\0"),
        (r"\\n", r"\n"),
        (r"\;", ";"),
        (r"\u12", "u12"),
        ("\\", "\\"),
    ],
)
def test_java_escapes(text: str, value: str) -> None:
    assert java_unescaped(text) == value


@pytest.mark.parametrize("format_", [JsonFormat(), CsvFormat(), RawFormat(), AvroFormat(), DebeziumJsonFormat()])
def test_a_format_is_a_value(format_: Any) -> None:
    assert hash(format_) == hash(type(format_)())
    with pytest.raises(AttributeError):
        format_.ignore_parse_errors = True
