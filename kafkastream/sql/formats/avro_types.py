"""Mapping between types of tables and Avro schemas."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import attrs

from kafkastream.sql.type_families import BYTES, TEXT
from kafkastream.sql.types import DataType, Kind, RowField

__all__ = ["avro_type", "table_type"]

_SPACE: Final = "org.apache.flink.avro.generated"
_ROOT: Final = "record"
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PRIMITIVES: Final[Mapping[Kind, str]] = {
    Kind.BOOLEAN: "boolean",
    **dict.fromkeys((Kind.TINYINT, Kind.SMALLINT, Kind.INT), "int"),
    Kind.BIGINT: "long",
    Kind.FLOAT: "float",
    Kind.DOUBLE: "double",
    **dict.fromkeys(TEXT, "string"),
    **dict.fromkeys(BYTES, "bytes"),
}
_MILLIS, _MICROS = 3, 6
_UNITS: Final = {_MILLIS: "millis", _MICROS: "micros"}
_BACK: Final[Mapping[str, DataType]] = {
    "boolean": DataType.of(Kind.BOOLEAN),
    "int": DataType.of(Kind.INT),
    "long": DataType.of(Kind.BIGINT),
    "float": DataType.of(Kind.FLOAT),
    "double": DataType.of(Kind.DOUBLE),
    "string": DataType.string(),
    "bytes": DataType.bytes_(),
}
_LOGICAL: Final[Mapping[tuple[str, str], DataType]] = {
    ("int", "date"): DataType.of(Kind.DATE),
    ("int", "time-millis"): DataType.of(Kind.TIME, _MILLIS),
    ("long", "time-micros"): DataType.of(Kind.TIME, _MICROS),
    ("long", "timestamp-millis"): DataType.of(Kind.TIMESTAMP, _MILLIS),
    ("long", "timestamp-micros"): DataType.of(Kind.TIMESTAMP, _MICROS),
}


def avro_type(fields: Sequence[RowField], *, legacy: bool = True) -> dict[str, Any]:
    """Return the Avro schema that Flink derives from fields.

    Args:
        fields: Fields in the record.
        legacy: Whether TIMESTAMP is mapped to Avro's ``timestamp`` (``timestamp_mapping.legacy``).

    Raises:
        ValueError: A type has no counterpart in Avro.

    Example:
        >>> avro_type([RowField("id", DataType.of(Kind.BIGINT))])["fields"]
        [{'name': 'id', 'type': ['null', 'long'], 'default': None}]
    """
    return _record(fields, _ROOT, legacy, namespace=_SPACE)


def _record(fields: Sequence[RowField], name: str, legacy: bool, **namespace: str) -> dict[str, Any]:
    parts = [_field(field, f"{name}_{field.name}", legacy) for field in fields]
    return {"type": "record", "name": name, **namespace, "fields": parts}


def _field(field: RowField, name: str, legacy: bool) -> dict[str, Any]:
    if not _NAME.fullmatch(field.name):
        raise ValueError(f"Illegal name for a field of an Avro record: {field.name!r}")
    default = {"default": None} if field.type.is_nullable else {}
    return {"name": field.name, "type": _type(field.type, name, legacy), **default}


def _type(kind: DataType, name: str, legacy: bool) -> Any:
    bare = _bare(kind, name, legacy)
    return ["null", bare] if kind.is_nullable else bare


def _bare(of: DataType, name: str, legacy: bool) -> Any:
    match of.kind:
        case Kind.DECIMAL:
            return {"type": "bytes", "logicalType": "decimal", "precision": of.size, "scale": of.scale}
        case Kind.DATE | Kind.TIME | Kind.TIMESTAMP:
            return _time(of, legacy)
        case Kind.TIMESTAMP_LTZ if not legacy:
            return _time(of, legacy)
        case Kind.ROW:
            return _record(of.fields, name, legacy)
        case Kind.ARRAY:  # Flink always uses the legacy mapping here
            return {"type": "array", "items": _type(of.parts[0], name, legacy=True)}
        case Kind.MAP | Kind.MULTISET:
            return {"type": "map", "values": _type(_map_value(of), name, legacy=True)}
        case kind if kind in _PRIMITIVES:
            return _PRIMITIVES[kind]
        case _:
            raise ValueError(f"Unsupported to derive Schema for type: {of}")


def _time(of: DataType, legacy: bool) -> dict[str, str]:
    match of.kind:
        case Kind.DATE:
            return {"type": "int", "logicalType": "date"}
        case Kind.TIME:
            _check_precision(of, _MILLIS)
            return {"type": "int", "logicalType": "time-millis"}
        case kind:
            local = "local-" if kind is Kind.TIMESTAMP and not legacy else ""
            unit = _unit(of, _MILLIS if legacy else _MICROS)
            return {"type": "long", "logicalType": f"{local}timestamp-{unit}"}


def _map_value(of: DataType) -> DataType:
    if of.parts[0].kind not in TEXT:
        raise ValueError(f"Avro format doesn't support non-string as key type of map. The key type is: {of.parts[0]}")
    return of.parts[1] if of.kind is Kind.MAP else DataType.of(Kind.INT)


def _unit(kind: DataType, most: int) -> str:
    _check_precision(kind, most)
    return next(unit for digits, unit in _UNITS.items() if (kind.size or 0) <= digits)


def _check_precision(kind: DataType, most: int) -> None:
    if (kind.size or 0) > most:
        raise ValueError(
            f"Avro does not support {kind.kind.value} type with precision: {kind.size}, it only supports precision less "
            f"than {most}."
        )


def table_type(schema: Any) -> DataType:
    """Return the row type of a schema, as Flink maps it; named types must be defined in place.

    Raises:
        ValueError: The schema cannot be mapped to a row type.
    """
    match schema:
        case list() if (one := _union_branch(schema)) is not None:
            return attrs.evolve(table_type(one), is_nullable="null" in schema)
        case {"type": "record", "fields": fields}:
            parts = (RowField(field["name"], table_type(field["type"])) for field in fields)
            return DataType.of(Kind.ROW, fields=tuple(parts)).not_null()
        case {"type": "array", "items": items}:
            return DataType.of(Kind.ARRAY, parts=(table_type(items),)).not_null()
        case {"type": "map", "values": values}:
            return DataType.of(Kind.MAP, parts=(DataType.string().not_null(), table_type(values))).not_null()
        case {"type": dict() | list() as inner}:
            return table_type(inner)
        case _:
            return _leaf(schema).not_null()


def _leaf(schema: Any) -> DataType:
    match schema:
        case {"type": "enum"}:
            return DataType.string()
        case {"type": "bytes" | "fixed", "logicalType": "decimal", "precision": precision}:
            return DataType.of(Kind.DECIMAL, precision, schema.get("scale", 0))
        case {"type": "fixed", "size": size}:
            return DataType.of(Kind.VARBINARY, size)
        case {"type": str(bare), "logicalType": str(logical)} if (bare, logical) in _LOGICAL:
            return _LOGICAL[bare, logical]
        case {"type": str(bare)} | str(bare) if bare in _BACK:
            return _BACK[bare]
        case _:
            raise ValueError(f"Unsupported Avro type '{schema}'.")


def _union_branch(schema: Any) -> Any:
    """Return the only branch of a union besides null; None if there are others, or it is not a union."""
    branches = [branch for branch in schema if branch != "null"] if isinstance(schema, list) else []
    return branches[0] if len(branches) == 1 else None
