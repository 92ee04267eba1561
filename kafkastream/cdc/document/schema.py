"""JSON schema of pipeline documents, generated from the options' declarations, for completion and checks in editors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from kafkastream.cdc.document.reading import COLLECTOR, FUNCTION, PIPELINE, ROUTE, TRANSFORM
from kafkastream.cdc.spec.kafka_sink import TOPIC_MAPPING
from kafkastream.cdc.spec.kafka_source import KAFKA_SOURCE
from kafkastream.cdc.spec.section import SectionType
from kafkastream.cdc.spec.sinks import SINKS
from kafkastream.cdc.spec.sources import SOURCES
from kafkastream.options.option import Option, OptionFamily
from kafkastream.options.parsers import Choice, ListOf, boolean, floating, integer, positive
from kafkastream.options.tables import default_text
from kafkastream.sql.option_group import OptionGroup

__all__ = ["json_schema"]

Schema: TypeAlias = dict[str, Any]

_SCALAR: Final[Schema] = {"type": ["string", "number", "boolean"]}
_REFERENCE: Final[Schema] = {"type": "string", "pattern": r"\$\{"}
_NUMBERS: Final[Mapping[Callable[[str], Any], Schema]] = {
    integer: {"type": "integer"},
    positive: {"type": "integer", "minimum": 1},
    floating: {"type": "number"},
}
_NUMBER_AS_TEXT: Final[Schema] = {"type": "string", "pattern": r"^\s*[+-]?[0-9]"}


def json_schema() -> Schema:
    """Return the JSON schema of a document.

    Example:
        >>> sorted(json_schema()["properties"])
        ['pipeline', 'route', 'sink', 'source', 'transform']
    """
    moved = {TOPIC_MAPPING.key: {**_of_option(TOPIC_MAPPING), "deprecated": True}}
    sections = {
        "source": _of_types(SOURCES, lambda type_: moved if type_ is KAFKA_SOURCE else {}),
        "sink": _of_types(SINKS, lambda _: {}),
        "transform": _list("What becomes of rows; the first rule that selects a table counts.", _of(TRANSFORM)),
        "route": _list("Which tables rows go to.", _of(ROUTE)),
        "pipeline": _nullable(_of(PIPELINE, _pipeline_nodes())),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A pipeline of kafkastream",
        "type": "object",
        "properties": sections,
        "required": ["source", "sink"],
        "additionalProperties": False,
    }


def _pipeline_nodes() -> Schema:
    return {
        COLLECTOR.identifier: {
            "description": "Collector of messages that cannot be parsed and are ignored.",
            **_of(COLLECTOR),
        },
        FUNCTION.identifier: _list("Functions for expressions.", _of(FUNCTION)),
    }


def _nullable(schema: Schema) -> Schema:
    return {**schema, "type": [schema["type"], "null"]}


def _list(doc: str, item: Schema) -> Schema:
    return {"description": doc, "type": ["array", "null"], "items": item}


def _of_types(types: Mapping[str, SectionType[Any]], more: Callable[[SectionType[Any]], Schema]) -> Schema:
    docs = " ".join(f"`{name}`: {type_.doc}" for name, type_ in types.items())
    branches = [
        {"if": {"properties": {"type": {"const": name}}}, "then": _of_type(type_, more(type_))}
        for name, type_ in types.items()
    ]
    return {
        "type": "object",
        "properties": {"type": {"description": docs, "enum": list(types)}},
        "required": ["type"],
        "allOf": branches,
    }


def _of_type(type_: SectionType[Any], more: Schema) -> Schema:
    return _of(type_.options, {"type": {"const": type_.options.identifier}, **more, **type_.nodes})


def _of(group: OptionGroup, nodes: Mapping[str, Any] | None = None) -> Schema:
    """Return the schema of a section."""
    families = [option for option in group.options if isinstance(option, OptionFamily)]
    required = [{"anyOf": [{"required": [key]} for key in option.keys]} for option in group.required]
    return {
        "type": "object",
        "properties": {**dict(_properties(group.options)), **(nodes or {})},
        "patternProperties": {
            f"^{re.escape(family.prefix)}": {"description": family.doc, **_SCALAR} for family in families
        },
        "additionalProperties": False,
        **({"allOf": required} if required else {}),
    }


def _properties(options: Iterable[Option[Any] | OptionFamily]) -> Iterator[tuple[str, Schema]]:
    for option in options:
        if isinstance(option, Option):
            schema = _of_option(option)
            yield option.key, schema
            yield from ((key, {**schema, "deprecated": True}) for key in option.deprecated_keys)


def _of_option(option: Option[Any]) -> Schema:
    found: Schema = {"description": option.doc}
    if (default := default_text(option)) is not None:
        is_plain = isinstance(option.default, (bool, int)) and default == str(option.default).lower()
        found["default"] = option.default if is_plain else default
    return {**found, **_of_values(option.parse)}


def _of_values(parse: Callable[[str], Any]) -> Schema:
    if parse in _NUMBERS:
        return {"anyOf": [_NUMBERS[parse], _NUMBER_AS_TEXT, _REFERENCE]}
    match parse:
        case Choice():
            return {"anyOf": [{"enum": list(parse.texts)}, _in_any_case(parse.texts), _REFERENCE]}
        case ListOf():
            return {"anyOf": [_SCALAR, {"type": "array", "items": _of_values(parse.item)}]}
        case _ if parse is boolean:
            return {"anyOf": [{"type": "boolean"}, _in_any_case(("true", "false")), _REFERENCE]}
        case _:
            return _SCALAR


def _in_any_case(texts: Iterable[str]) -> Schema:
    """Return a schema of texts in any case, with ``-`` or ``_``.

    JSON schema has no flag for case-insensitive patterns:
    https://json-schema.org/understanding-json-schema/reference/regular_expressions
    """
    return {"type": "string", "pattern": f"^(?:{'|'.join(map(_letters, texts))})$"}


def _letters(text: str) -> str:
    return "".join(
        "[-_]" if one in "-_" else f"[{one.lower()}{one.upper()}]" if one.isalpha() else re.escape(one) for one in text
    )
