"""Avro schemas as fastavro takes them."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kafkastream.errors import DefinitionError
from kafkastream.extras import AVRO

if TYPE_CHECKING:
    from fastavro.types import Schema

__all__ = ["avro_schema", "parsed_schema", "read_avro", "without_logical_types", "write_avro"]


def avro_schema(text: str, where: str) -> Any:
    """Return a schema's JSON, checked.

    Raises:
        DefinitionError: It is not an Avro schema.
        SetupError: The extra ``avro`` is not installed.
    """
    AVRO.imported()
    try:
        found = json.loads(text)
        parsed_schema(found)
    except Exception as error:
        raise DefinitionError(f"the Avro schema cannot be used: {error}", where=where) from error
    return found


def parsed_schema(schema: Any, named: dict[str, Any] | None = None) -> Schema:
    """Return a schema without its logical types, as fastavro wants it; ``named`` has the types of other schemas."""
    from fastavro import parse_schema

    return parse_schema(without_logical_types(schema), named_schemas={} if named is None else named)


def without_logical_types(schema: Any) -> Any:
    """Return the schema by which the bare values are read: ints for dates, bytes for decimals."""
    if isinstance(schema, Mapping):
        return {key: without_logical_types(part) for key, part in schema.items() if key != "logicalType"}
    if isinstance(schema, Sequence) and not isinstance(schema, str):
        return [without_logical_types(part) for part in schema]
    return schema


def read_avro(message: bytes, writer: Schema, reader: Schema | None = None) -> Any:
    """Return a bare Avro value.

    Raises:
        ValueError: The bytes are not of the writer's schema, or it cannot be read as the reader's.
    """
    from fastavro import schemaless_reader

    try:
        return schemaless_reader(io.BytesIO(message), writer, reader)
    except (EOFError, IndexError, OverflowError, UnicodeDecodeError) as error:
        raise ValueError(f"the bytes are not of the Avro schema: {type(error).__name__} {error}".rstrip()) from error
    except Exception as error:
        raise ValueError(f"the record cannot be read with the Avro schema: {error}") from error


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
