"""Reads JSON as rows, by Spark expressions and the rules of Flink's ``json`` format."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import attrs
from pyspark.sql import Column, functions, types

from kafkastream.spark.sql.formats.flattening import flattened
from kafkastream.spark.sql.formats.message_reading import Fail, Reader, map_leaves, map_parts, or_fail
from kafkastream.spark.sql.formats.spark_types import spark_type
from kafkastream.spark.sql.formats.value_texts import of_text
from kafkastream.sql.formats import JsonFormat
from kafkastream.sql.formats.json_format import JsonSettings, check_json_type
from kafkastream.sql.type_families import BYTES, TEXT, TIMES, WHOLE
from kafkastream.sql.types import DataType, Kind

__all__ = ["AS_JACKSON", "json_reader"]

_BAD: Final = "__bad"
_ROWS: Final = "__rows"

AS_JACKSON: Final = {
    "allowSingleQuotes": "false",
    "allowNonNumericNumbers": "false",
    "allowUnquotedControlChars": "true",
}
"""Options by which Spark reads JSON as Flink's Jackson: no ``{'x': 1}``, no ``NaN`` without quotes, tabs within text.

https://github.com/apache/flink/blob/release-2.2.1/flink-formats/flink-json/src/main/java/org/apache/flink/formats/json/AbstractJsonDeserializationSchema.java
"""
_BAD_APART: Final = {**AS_JACKSON, "columnNameOfCorruptRecord": _BAD}

_BLANKS: Final = " \t\r\n"
_TEXTS: Final = "map<string,string>"
_FRACTION: Final = r"^[+-]?\d+\.\d+([eE][+-]?\d+)?$"
_EXACT: Final = BYTES | {Kind.DECIMAL}
_PROBLEM: Final = "Failed to deserialize JSON."


def json_reader(row: DataType, settings: JsonSettings) -> Reader:
    """Return the reader of JSON: an object is one row, an array one row for each of its objects.

    With ``infer-schema.flatten-nested-columns.enable`` a field ``a.b`` is the member ``b`` of the object ``a``.

    A message is first parsed with the types of the columns. If Spark finds a value that does not fit, the message is
    parsed again with text for types that Flink also reads from text, such as a quoted number.
    As in Flink, a number is accepted for a STRING column, and a text with a number for a numeric column.
    Differs from Flink: a text with a fraction is truncated for an integer column, as a number with one is; a number in
    a STRING column loses trailing zeros; of several members with one name the last counts, in Flink the first.

    Args:
        row: The type of the rows.
        settings: The format's options.

    Raises:
        UnsupportedFeatureError: The keys of a map are not text.
    """
    check_json_type(row)
    if isinstance(settings, JsonFormat) and settings.flatten_nested_columns:
        return flattened(row, lambda nested: json_reader(nested, attrs.evolve(settings, flatten_nested_columns=False)))
    strict = _with_bad(_parsed_as(row, _strict))

    def parsed(message: Column) -> Column:
        return functions.from_json(_json_text(message), strict, _BAD_APART)

    return Reader(
        parsed,
        finished=partial(_finished, row, settings),
        others=partial(_others, row, settings),
        is_plain=lambda found: found.getField(_BAD).isNull() & found.isNotNull(),
    )


def _json_text(message: Column) -> Column:
    """Return messages as text. Jackson refuses bytes that are not UTF-8, for which Spark would read other characters."""
    text = message.cast("string")
    return functions.coalesce(functions.try_validate_utf8(text), functions.when(message.isNotNull(), "\ufffd"))


def _others(row: DataType, settings: JsonSettings, parsed: Column, message: Column, fail: Fail) -> Column:
    """Return the rows of a message that does not match the declared types, or that is an array."""
    text = functions.regexp_replace(_json_text(message), "^\ufeff", "")
    is_array = functions.ltrim(text).startswith("[")
    wrapped = functions.concat(
        functions.lit(f'{{"{_ROWS}":'),
        functions.when(is_array, text).otherwise(functions.concat(functions.lit("["), text, functions.lit("]"))),
        functions.lit("}"),
    )
    of_all = types.StructType([types.StructField(_ROWS, types.ArrayType(_parsed_as(row, _loose)))])
    again = functions.from_json(wrapped, _with_bad(of_all), _BAD_APART)

    def rows(found: Column) -> Column:
        if settings.ignore_parse_errors:
            otherwise = _apart(row, found.getField(_ROWS), text)
        else:
            otherwise = fail(functions.concat(functions.lit(_PROBLEM), _misfits(row, text)))
        return functions.when(found.getField(_BAD).isNull(), found.getField(_ROWS)).otherwise(otherwise)

    # The parsed value goes through an array, otherwise Spark would parse it at each reference.
    found = functions.get(functions.transform(functions.array(again), rows), functions.lit(0))
    content = functions.trim(text, functions.lit(_BLANKS))
    is_nothing = content.isin("", "null") & (text != "")
    if not isinstance(settings, JsonFormat):
        # Flink reads a change event from an object only (``deserialize(byte[])``, "No JSON Object!"):
        # https://github.com/apache/flink/blob/release-2.2.1/flink-formats/flink-json/src/main/java/org/apache/flink/formats/json/JsonParserRowDataDeserializationSchema.java
        is_nothing |= is_array
    none = functions.array().cast(types.ArrayType(_parsed_as(row, _loose)))
    if not settings.ignore_parse_errors:
        none = fail(functions.lit(f"{_PROBLEM} It is not a JSON object."))
    is_bad = parsed.isNull() | parsed.getField(_BAD).isNotNull()
    others = functions.when(is_bad & is_nothing, none).when(is_bad & (text != ""), found)
    if not (isinstance(settings, JsonFormat) and settings.fail_on_missing_field):
        return others
    missing = _missing(row, text)
    failure = fail(functions.concat(functions.lit(f"{_PROBLEM} Could not find field with name "), missing))
    return functions.when(parsed.isNotNull() & missing.isNotNull(), failure).otherwise(others)


def _apart(row: DataType, rows: Column, text: Column) -> Column:
    """Return the rows of an array that also has other elements than objects, for which Spark returns NULL for all."""
    elements = functions.from_json(text, types.ArrayType(types.StringType()), AS_JACKSON)
    as_row = _parsed_as(row, _loose)
    assert isinstance(as_row, types.StructType)
    found = functions.transform(
        elements, lambda one: functions.when(one.startswith("{"), functions.from_json(one, as_row, AS_JACKSON))
    )
    return functions.coalesce(rows, functions.filter(found, Column.isNotNull))


def _finished(row: DataType, settings: JsonSettings, plain: Column, other: Column, fail: Fail) -> list[Column]:
    """Return the finished row: of the plain one, whose times are text, or of the other, in which most values are."""
    fields = []
    for field in row.fields:
        problem = functions.lit(f"{_PROBLEM} Fail to deserialize at field: {field.name}.")
        failure = None if settings.ignore_parse_errors else fail(problem)
        leaf = partial(_leaf, settings, failure)
        ours, theirs = plain.getField(field.name), other.getField(field.name)
        if _parsed_as(field.type, _strict) == _parsed_as(field.type, _loose):
            either = functions.when(other.isNull(), ours).otherwise(theirs)
            value = map_leaves(either, field.type, leaf, _is_temporal)
            if field.type.kind in TEXT:  # Spark writes a number beyond DOUBLE so, of which the digits are lost
                is_lost = value.isin('"Infinity"', '"-Infinity"')
                value = functions.when(is_lost, functions.lit(None) if failure is None else failure).otherwise(value)
        else:
            value = functions.when(other.isNull(), map_leaves(ours, field.type, leaf, _is_temporal)).otherwise(
                map_leaves(theirs, field.type, leaf, lambda _: True)
            )
        fields.append(value.alias(field.name))
    return fields


def _is_temporal(kind: DataType) -> bool:
    return kind.kind in TIMES


def _leaf(settings: JsonSettings, failure: Column | None, found: Column, kind: DataType) -> Column:
    match kind.kind:
        case Kind.BINARY | Kind.VARBINARY:
            return found
        case Kind.DECIMAL:
            return found.try_cast(spark_type(kind))  # NULL on overflow, as in Flink
        case whole if whole in WHOLE:
            to = spark_type(kind)
            cut = functions.when(found.rlike(_FRACTION), found.try_cast("double").try_cast(to))
            return or_fail(functions.coalesce(functions.trim(found).try_cast(to), cut), found, failure)
        case Kind.TIME:  # Flink reads only whole seconds
            value = functions.when(of_text(found, kind).isNotNull(), functions.substring(found, 1, len("12:30:01")))
            return or_fail(of_text(value, kind), found, failure)
        case text if text in TEXT:
            return found
        case _:
            return or_fail(of_text(found, kind, settings.timestamp_format.separator), found, failure)


def _misfits(row: DataType, text: Column) -> Column:
    """Return the names of fields that Spark's parser refuses, for an error text."""
    loose = functions.from_json(text, _TEXTS, AS_JACKSON)
    as_row = _parsed_as(row, _loose)
    assert isinstance(as_row, types.StructType)
    typed = functions.from_json(text, as_row, AS_JACKSON)

    def named(found: Column) -> Column:
        texts, values = found.getField("texts"), found.getField("values")
        names = (
            functions.when(
                texts[field.name].isNotNull() & values.getField(field.name).isNull(),
                f" Fail to deserialize at field: {field.name}.",
            )
            for field in row.fields
        )
        return functions.concat_ws("", *names)

    both = functions.array(functions.struct(loose.alias("texts"), typed.alias("values")))
    names = functions.array_join(functions.transform(both, named), "")
    return functions.when(functions.trim(text).startswith("{") & (names != ""), names).otherwise(
        " It is not a JSON object."
    )


def _missing(row: DataType, text: Column) -> Column:
    """Return the names of missing fields, nested ones included; NULL if there are none."""
    found = functions.from_json(text, _TEXTS, AS_JACKSON)
    names = []
    for field in row.fields:
        is_there = functions.map_contains_key(found, field.name)
        name = functions.when(~is_there, f"'{field.name}'")
        if field.type.kind is Kind.ROW:
            inner = found[field.name]
            name = functions.coalesce(name, functions.when(inner.isNotNull(), _missing(field.type, inner)))
        names.append(name)
    return functions.when(found.isNotNull(), functions.nullif(functions.concat_ws(", ", *names), functions.lit("")))


def _with_bad(row: types.StructType | types.DataType) -> types.StructType:
    assert isinstance(row, types.StructType)
    return types.StructType([*row.fields, types.StructField(_BAD, types.StringType())])


def _parsed_as(kind: DataType, leaf: Callable[[DataType], types.DataType]) -> types.DataType:
    """Return the type of Spark's parser for a column."""
    match kind.kind:
        case Kind.ARRAY:
            return types.ArrayType(_parsed_as(kind.parts[0], leaf))
        case Kind.MAP | Kind.MULTISET:
            return types.MapType(types.StringType(), _parsed_as(map_parts(kind)[1], leaf))
        case Kind.ROW:
            return types.StructType(
                [types.StructField(field.name, _parsed_as(field.type, leaf)) for field in kind.fields]
            )
        case _:
            return leaf(kind)


def _strict(kind: DataType) -> types.DataType:
    """Return the strict type: times are text, since Spark accepts forms that Flink refuses."""
    return types.StringType() if kind.kind in TIMES else spark_type(kind)


def _loose(kind: DataType) -> types.DataType:
    """Return the loose type: text, as far as no information is lost."""
    if kind.kind is Kind.DECIMAL:
        return types.DecimalType(38, kind.scale or 0)
    return spark_type(kind) if kind.kind in _EXACT else types.StringType()
