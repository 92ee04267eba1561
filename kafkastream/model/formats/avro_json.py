"""Avro values in Avro's JSON form."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fastavro.types import Schema

__all__ = ["read_avro_json", "write_avro_json"]


def read_avro_json(message: bytes, schema: Schema) -> Any:
    """Return a value.

    Raises:
        ValueError: The text is not of the schema.
    """
    from fastavro import json_reader

    try:
        return next(iter(json_reader(io.StringIO(json.dumps(json.loads(message))), schema)))
    except Exception as error:
        raise ValueError(f"the record cannot be read with the Avro schema: {error!r}") from error


def write_avro_json(value: Any, schema: Schema) -> bytes:
    """Return the text of a value, without spaces.

    Raises:
        ValueError: The value is not of the schema.
    """
    from fastavro import json_writer

    out = io.StringIO()
    try:
        json_writer(out, schema, [value])
    except Exception as error:
        raise ValueError(f"the value is not of the Avro schema: {error!r}") from error
    return json.dumps(json.loads(out.getvalue()), separators=(",", ":"), ensure_ascii=False).encode()
