"""Conversion between plain values of tables and values of Avro."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Context, Decimal
from functools import partial
from typing import Any, Final

from kafkastream.sql.type_families import MAPS
from kafkastream.sql.types import DataType, Kind

__all__ = ["Convert", "avro_dump", "avro_load"]

Convert = Callable[[Any], Any]
_EXACT: Final = Context(prec=100)


def avro_load(kind: DataType) -> Convert | None:
    """Return the conversion of Avro's values to plain ones; None if they are the same. Decimals overflow to NULL."""
    if kind.kind is Kind.DECIMAL:
        return partial(_decimal, digits=10 ** (kind.size or 0), scale=kind.scale or 0)
    if kind.kind in MAPS:
        value = _map_value(kind, avro_load)
        return _items if value is None else lambda pairs: [(key, _apply(value, one)) for key, one in pairs.items()]
    return _of_parts(kind, avro_load)


def avro_dump(kind: DataType, schema: Any) -> Convert | None:
    """Return the conversion of plain values to Avro's; None if they are the same.

    Args:
        kind: Type of the values.
        schema: Avro schema of the values.
    """
    schema = _beside_null(schema)
    if kind.kind is Kind.DECIMAL:
        return partial(_unscaled, scale=kind.scale or 0, size=schema.get("size"))
    if kind.kind in MAPS:
        value = _map_value(kind, lambda part: avro_dump(part, schema["values"]))
        return dict if value is None else lambda pairs: {key: _apply(value, one) for key, one in pairs}
    if kind.kind is Kind.ARRAY:
        return _of_parts(kind, lambda part: avro_dump(part, schema["items"]))
    fields = iter(schema["fields"]) if kind.kind is Kind.ROW else iter(())
    return _of_parts(kind, lambda part: avro_dump(part, next(fields)["type"]))


def _of_parts(kind: DataType, convert: Callable[[DataType], Convert | None]) -> Convert | None:
    if kind.kind is Kind.ARRAY:
        element = convert(kind.parts[0])
        return None if element is None else lambda values: [_apply(element, one) for one in values]
    if kind.kind is Kind.ROW:
        every = [(field.name, convert(field.type)) for field in kind.fields]
        changed = [(name, field) for name, field in every if field is not None]
        return partial(_row, changed) if changed else None
    return None


def _row(changed: list[tuple[str, Convert]], row: Mapping[str, Any]) -> dict[str, Any]:
    return {**row, **{name: _apply(field, row[name]) for name, field in changed}}


def _map_value(kind: DataType, convert: Callable[[DataType], Convert | None]) -> Convert | None:
    return convert(kind.parts[1]) if kind.kind is Kind.MAP else None


def _apply(convert: Convert, value: Any) -> Any:
    return None if value is None else convert(value)


def _items(pairs: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return list(pairs.items())


def _decimal(data: bytes, digits: int, scale: int) -> Decimal | None:
    number = int.from_bytes(data, "big", signed=True)
    return Decimal(number).scaleb(-scale, _EXACT) if -digits < number < digits else None


def _unscaled(value: Decimal, scale: int, size: int | None) -> bytes:
    number = int(value.scaleb(scale, _EXACT))
    bits = number.bit_length() if number >= 0 else (~number).bit_length()
    return number.to_bytes(bits // 8 + 1 if size is None else size, "big", signed=True)


def _beside_null(schema: Any) -> Any:
    return next(branch for branch in schema if branch != "null") if isinstance(schema, list) else schema
