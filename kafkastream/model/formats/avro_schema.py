"""Avro schemas as fastavro takes them."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from kafkastream.errors import DefinitionError
from kafkastream.extras import AVRO
from kafkastream.model.formats.avro_defaults import DEFAULT, check_defaults, default_value
from kafkastream.model.formats.avro_limits import limit_check
from kafkastream.model.formats.avro_resolution import resolve
from kafkastream.model.formats.malformed import malformed
from kafkastream.model.formats.schema_registry import RegisteredSchema

if TYPE_CHECKING:
    from fastavro.types import Schema

__all__ = [
    "avro_reader",
    "avro_schema",
    "parsed_schema",
    "registered_reader",
    "resolved_schema",
    "writable_schema",
    "write_avro",
]

_IS_PARSED: Final = "__fastavro_parsed"
_NAMED_SCHEMAS: Final = "__named_schemas"


def avro_schema(text: str, where: str) -> Any:
    """Return a schema's JSON, checked.

    Raises:
        DefinitionError: It is not an Avro schema.
        SetupError: The extra ``avro`` is not installed.
    """
    AVRO.imported()
    try:
        named: dict[str, Any] = {}
        schema = json.loads(text)
        parsed_schema(schema, named)
        check_defaults(named)
    except Exception as error:
        raise DefinitionError(f"the Avro schema cannot be used: {error}", where=where) from error
    return schema


def parsed_schema(schema: Any, named: dict[str, Any] | None = None) -> Schema:
    """Return a schema without its logical types, as fastavro wants it.

    Defaults are kept aside, as JSON has them (``default_value``).

    Args:
        schema: JSON of the schema.
        named: Types of other schemas by their names, to which those of this one are added.
    """
    from fastavro import parse_schema

    return parse_schema(_prepared(schema), named_schemas={} if named is None else named)


def resolved_schema(writer: str, references: Sequence[str], reader: str) -> Schema:
    """Return the schema by which a writer's records are read as the reader's, by the rules of Java's Avro.

    Args:
        writer: The writer's schema, as JSON.
        references: Schemas to which it refers.
        reader: The reader's schema, as JSON.
    """
    from fastavro import parse_schema

    writer_names: dict[str, Any] = {}
    for reference in references:
        parsed_schema(json.loads(reference), writer_names)
    reader_names: dict[str, Any] = {}
    written, wanted = parsed_schema(json.loads(writer), writer_names), parsed_schema(json.loads(reader), reader_names)
    return parse_schema(resolve(written, writer_names, wanted, reader_names))


def writable_schema(schema: Any) -> Schema:
    """Return a schema by which fastavro writes: fields that a value lacks have their defaults.

    Args:
        schema: JSON of the schema.
    """
    named: dict[str, Any] = {}
    parsed = parsed_schema(schema, named)
    for definition in named.values():
        for field in definition.get("fields", ()):
            if DEFAULT in field:
                field["default"] = default_value(field["type"], field[DEFAULT], named)
    return parsed


def _prepared(schema: Any) -> Any:
    match schema:
        case list():
            return [_prepared(branch) for branch in schema]
        case dict():
            parts = {key: _prepared(schema[key]) for key in ("type", "items", "values") if key in schema}
            prepared = {key: part for key, part in {**schema, **parts}.items() if key != "logicalType"}
            if isinstance(fields := schema.get("fields"), list):
                prepared["fields"] = [_prepared_field(field) for field in fields]
            return prepared
        case _:
            return schema


def _prepared_field(field: Any) -> Any:
    prepared = _prepared(field)
    if isinstance(prepared, dict) and "default" in prepared:
        prepared[DEFAULT] = prepared.pop("default")
    return prepared


def avro_reader(schema: Schema) -> Callable[[bytes], Any]:
    """Return the function that reads a bare Avro value.

    Text that is not UTF-8 has replacement characters, as in Java. The function raises ``ValueError`` for bytes that are
    not of the schema, cannot be read as the reader's schema, or are beyond the limits for records.

    Args:
        schema: Schema of the bytes, as ``parsed_schema`` or ``resolved_schema`` gives it.
    """
    from fastavro import schemaless_reader

    check = limit_check(schema)
    schema = _with_checked_indices(schema)

    def read(message: bytes) -> Any:
        try:
            if check is not None:
                check(message)
            return schemaless_reader(io.BytesIO(message), schema, None, handle_unicode_errors="replace")
        except (EOFError, LookupError, OverflowError) as error:
            raise ValueError(
                f"the bytes are not of the Avro schema: {type(error).__name__} {error}".rstrip()
            ) from error
        except Exception as error:
            raise ValueError(f"the record cannot be read with the Avro schema: {malformed(error)}") from error

    return read


def _with_checked_indices(schema: Any) -> Any:
    """Return a parsed schema with its branches and symbols in a ``dict``, where fastavro looks up no negative index.

    In a ``list`` it takes -1 as the last one (``read_union`` and ``read_enum`` in
    https://github.com/fastavro/fastavro/blob/1.13.1/fastavro/_read.pyx); Java's Avro raises an error.
    """
    named: dict[str, Any] = {}
    for branch in schema if isinstance(schema, list) else [schema]:
        if isinstance(branch, dict):
            named |= branch.get(_NAMED_SCHEMAS, {})
    checked = _by_index(schema)
    if not isinstance(checked, dict):
        return checked
    # A schema with these keys is not parsed once more for each record.
    return checked | {_IS_PARSED: True, _NAMED_SCHEMAS: {name: _by_index(type_) for name, type_ in named.items()}}


def _by_index(schema: Any) -> Any:
    match schema:
        case list():
            return {"type": "union"} | dict(enumerate(map(_by_index, schema)))
        case dict():
            parts = {key: _by_index(schema[key]) for key in ("type", "items", "values") if key in schema}
            if "fields" in schema:
                parts["fields"] = [{**field, "type": _by_index(field["type"])} for field in schema["fields"]]
            if "symbols" in schema:
                parts["symbols"] = dict(enumerate(schema["symbols"]))
            return schema | parts
        case _:
            return schema


def registered_reader(writer: RegisteredSchema, reader: str) -> Callable[[bytes], Any]:
    """Return the function that reads the records of a schema in a registry as the reader's; errors as of ``avro_reader``.

    If the writer's schema cannot be used, no record of it can be read.

    Args:
        writer: The writer's schema.
        reader: The reader's schema, as JSON.
    """
    try:
        return avro_reader(resolved_schema(writer.text, writer.references, reader))
    except Exception as error:  # noqa: BLE001 - ``malformed`` decides
        problem = f"the writer's schema in the registry cannot be used: {malformed(error)}"

    def fail(_: bytes) -> Any:
        raise ValueError(problem)

    return fail


def write_avro(value: Any, writer: Schema) -> bytes:
    """Return the bytes of a bare Avro value; fields that are left out have their defaults.

    Raises:
        ValueError: The value is not of the schema.
    """
    from fastavro import schemaless_writer
    from fastavro.validation import ValidationError, validate

    try:
        validate(value, writer)  # the writer itself cuts what does not fit
    except ValidationError as error:
        raise ValueError(f"the element is not of the Avro schema: {error.errors[0]}") from None
    out = io.BytesIO()
    schemaless_writer(out, writer, value, strict_allow_default=True)
    return out.getvalue()
