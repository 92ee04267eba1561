"""Defaults of fields in Avro schemas, by the rules of Java's Avro."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from kafkastream.model.common.value_printing import single
from kafkastream.model.formats.java_text import java_floating

__all__ = ["DEFAULT", "Convert", "Named", "check_defaults", "default_value", "definition", "kind_of"]

Convert = Callable[[Any], Any]
Named = Mapping[str, Any]

DEFAULT: Final = "kafkastream.default"
"""Property of a parsed field with its default as it is in JSON: fastavro refuses some that Java accepts."""


def check_defaults(named: Named) -> None:
    """Check the defaults of all fields of records.

    Args:
        named: Named types, as fastavro parses them.

    Raises:
        ValueError: A default is not of its field's type.
    """
    for schema in named.values():
        for field in schema.get("fields", ()):
            if DEFAULT in field:
                default_value(field["type"], field[DEFAULT], named)


def default_value(schema: Any, default: Any, named: Named) -> Any:
    """Return the value of a default, which JSON has in another form: bytes as text, for example.

    Args:
        schema: The field's schema, as fastavro parses it.
        default: The default, as JSON has it.
        named: Named types.

    Raises:
        ValueError: The default is not of the schema.
    """
    if kind_of(schema) in {"float", "double"} and isinstance(default, str):  # a text such as NaN, as in Java
        default = java_floating(default)
    return _value(schema, default, named)


def _value(schema: Any, default: Any, named: Named) -> Any:
    schema = definition(schema, named)
    match kind_of(schema):
        case "union":
            return _value(schema[0], default, named)  # as Avro's specification has it
        case "record" if isinstance(default, dict):
            return {field["name"]: _field_default(field, default, named) for field in schema["fields"]}
        case "array" if isinstance(default, list):
            return [_value(schema["items"], element, named) for element in default]
        case "map" if isinstance(default, dict):
            return {key: _value(schema["values"], value, named) for key, value in default.items()}
        case "enum" if default in schema["symbols"]:
            return default
        case "fixed" if isinstance(default, str):  # Java cuts it, or fills it up with zeros
            return _latin(default)[: schema["size"]].ljust(schema["size"], b"\0")
        case kind if kind in _DEFAULTS:
            return _primitive(kind, default)
        case kind:
            raise ValueError(f"{default!r} is not a default of type {kind}")


def _primitive(kind: str, default: Any) -> Any:
    types, convert = _DEFAULTS[kind]
    if type(default) not in types:
        raise ValueError(f"{default!r} is not a default of type {kind}")
    return convert(default)


def _field_default(field: Mapping[str, Any], defaults: Mapping[str, Any], named: Named) -> Any:
    name = field["name"]
    if name not in defaults and DEFAULT not in field:
        raise ValueError(f"no default value for {name!r}")
    if name in defaults:
        return _value(field["type"], defaults[name], named)
    return default_value(field["type"], field[DEFAULT], named)


def _latin(text: str) -> bytes:
    return text.encode("latin-1", "replace")  # with ? for other characters, as in Java


def _fitting(bits: int, default: int) -> int:
    if not -(1 << (bits - 1)) <= default < 1 << (bits - 1):
        raise ValueError(f"{default} does not fit into {bits} bits")
    return default


def _same(default: Any) -> Any:
    return default


_DEFAULTS: Final[Mapping[str, tuple[frozenset[type], Convert]]] = {
    "null": (frozenset({type(None)}), _same),
    "boolean": (frozenset({bool}), _same),
    "int": (frozenset({int}), partial(_fitting, 32)),
    "long": (frozenset({int}), partial(_fitting, 64)),
    "float": (frozenset({int, float}), single),
    "double": (frozenset({int, float}), float),
    "string": (frozenset({str}), _same),
    "bytes": (frozenset({str}), _latin),
}


def kind_of(schema: Any) -> str:
    """Return the type of a schema that is not the name of one."""
    if isinstance(schema, list):
        return "union"
    kind = str(schema["type"]) if isinstance(schema, dict) else str(schema)
    return "record" if kind == "error" else kind


def definition(schema: Any, named: Named) -> Any:
    """Return the schema itself, or the named type that it refers to."""
    return named.get(schema, schema) if isinstance(schema, str) else schema
