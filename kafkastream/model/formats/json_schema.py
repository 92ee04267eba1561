"""A JSON schema to the type of rows that Flink reads by it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.types import RowTypeInfo, TypeInformation, Types

__all__ = ["row_type_of"]

_Type = TypeInformation[Any]
_Node = Mapping[str, Any]

_SCALARS: Final[Mapping[str, _Type]] = {
    "null": Types.VOID(),
    "boolean": Types.BOOLEAN(),
    "number": Types.BIG_DEC(),
    "integer": Types.BIG_DEC(),
}
_FORMATS: Final[Mapping[str, _Type]] = {
    "date": Types.SQL_DATE(),
    "time": Types.SQL_TIME(),
    "date-time": Types.SQL_TIMESTAMP(),
}
_UNIONS: Final = ("allOf", "anyOf", "not", "extends", "disallow")


def row_type_of(json_schema: str) -> RowTypeInfo:
    """Return the type of the rows that a JSON schema describes, by Flink's rules.

    Objects are rows, tuples are rows of ``f0``, ``f1``, …; numbers, whole ones too, are BIG_DEC; strings have their
    format's type, or are bytes when they are base64. One type and "null" is allowed, and references into the
    document.
    Differs from Flink: comments, single quotes and names without quotes are refused.

    Raises:
        DefinitionError: It is not JSON, or not such a schema.

    Example:
        >>> row_type_of('{"type": "object", "properties": {"id": {"type": "integer"}, "name": {"type": "string"}}}')
        RowTypeInfo(id: BigDecimal, name: String)
    """
    try:
        root = json.loads(json_schema)
    except ValueError as error:
        raise _refused(f"it is not JSON: {error}") from error
    found = _Schema(root).type_of("<root>", root)
    if not isinstance(found, RowTypeInfo):
        raise _refused(f"its root is {found!r}, not an object")
    return found


def _refused(why: str) -> DefinitionError:
    return DefinitionError(f"the JSON schema cannot be used: {why}", where="json_schema")


@final
@attrs.frozen
class _Schema:
    root: _Node

    def type_of(self, location: str, node: _Node) -> _Type:
        refused = [word for word in _UNIONS if word in node]
        if refused:
            raise _refused(f"{refused[0]!r} at {location}; unions and extensions are not supported")
        found = list(dict.fromkeys(self._types(location, node)))
        kinds = [one for one in found if one != Types.VOID()]
        if not found:
            raise _refused(f"no type at {location}")
        if len(kinds) > 1:
            raise _refused(f"several types at {location}; only one and 'null' is supported")
        return kinds[0] if kinds else Types.VOID()

    def _types(self, location: str, node: _Node) -> Iterator[_Type]:
        reference = node.get("$ref")
        target = self._resolved(reference, node) if isinstance(reference, str) else {}
        if "type" in node:
            names = node["type"] if isinstance(node["type"], list) else [node["type"]]
            for name in names:
                yield self._named(location, node, name)
        elif "type" in target:
            yield self.type_of(str(reference), target)
        one_of = node.get("oneOf", target.get("oneOf"))
        if isinstance(one_of, list):
            for one in one_of:
                yield self.type_of(f"{location}/oneOf", one)

    def _named(self, location: str, node: _Node, name: str) -> _Type:
        match name:
            case "string":
                return _string(location, node)
            case "object":
                return self._object(location, node)
            case "array":
                return self._array(location, node)
            case _ if name in _SCALARS:
                return _SCALARS[name]
            case _:
                raise _refused(f"unknown type {name!r} at {location}")

    def _object(self, location: str, node: _Node) -> _Type:
        if node.get("additionalProperties") is True:
            raise _refused(f"additional properties at {location}")
        fields = node.get("properties", {})
        types = [self.type_of(f"{location}/{name}", inner) for name, inner in fields.items()]
        return RowTypeInfo(types, list(fields))

    def _array(self, location: str, node: _Node) -> _Type:
        match node.get("items"):
            case dict() as items:
                return Types.OBJECT_ARRAY(self.type_of(f"{location}/items", items))
            case list() as items if node.get("additionalItems") is not True:
                return RowTypeInfo([self.type_of(f"{location}/items", item) for item in items])
            case list():
                raise _refused(f"additional items at {location}")
            case _:
                raise _refused(f"an array without 'items' at {location}")

    def _resolved(self, reference: str, origin: _Node) -> _Node:
        if not reference.startswith("#"):
            raise _refused(f"reference {reference!r} leaves the document")
        found: Any = self.root
        for step in reference[1:].split("/")[1:]:
            found = found.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
        if not isinstance(found, dict) or found is origin:
            raise _refused(f"reference {reference!r} leads nowhere")
        return found


def _string(location: str, node: _Node) -> _Type:
    if "format" in node:
        return _FORMATS.get(node["format"], Types.STRING())
    if "contentEncoding" not in node:
        return Types.STRING()
    if node["contentEncoding"] != "base64":
        raise _refused(f"encoding {node['contentEncoding']!r} at {location}; only 'base64' is supported")
    return Types.PRIMITIVE_ARRAY(Types.BYTE())
