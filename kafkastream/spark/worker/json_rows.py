"""Decodes a column of JSON objects to rows: msgspec where values fit the types, Flink's rules for the rest."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from typing import Annotated, Any, Final, final

import attrs
import msgspec
import pyarrow as pa

from kafkastream.model.common.row import Row, named_rows
from kafkastream.model.common.types import RowTypeInfo, TypeInformation, TypeKind
from kafkastream.model.common.value_printing import single
from kafkastream.model.formats.json_nodes import without_zeros
from kafkastream.model.formats.json_reading import (
    INT_BITS,
    JsonReading,
    has_decimals,
    json_bytes,
    json_date,
    json_time,
    json_timestamp,
)
from kafkastream.model.formats.json_row import JsonRowDeserializationSchema
from kafkastream.spark.worker.batches import ElementError, each

__all__ = ["decode_json_rows"]

Convert = Callable[[Any], Any]

_FEW: Final = 16


def decode_json_rows(schema: JsonRowDeserializationSchema, values: pa.Array) -> list[Row | None]:
    """Decode each value as ``schema.deserialize`` does.

    Raises:
        ElementError: A value cannot be decoded; with its index.
    """
    messages = values.to_pylist()
    if not _is_text(values):  # msgspec does not validate skipped members
        return each(schema.deserialize, messages)
    return _decoder(schema).decode(messages)


def _is_text(values: pa.Array) -> bool:
    try:
        values.cast(pa.string())
    except pa.ArrowInvalid:
        return False
    return True


@final
@attrs.frozen
class _Decoder:
    """Fast and complete decoder of the same rows.

    Attributes:
        typed: Parses a message whose values have exactly the types of the fields; raises for others.
        rows: Converts the results of ``typed`` to rows.
        any: Decodes any message by Flink's rules.
    """

    typed: Callable[[bytes], Any]
    rows: Callable[[Iterable[Any]], list[Row]]
    any: Callable[[bytes], Row | None]

    def decode(self, messages: Sequence[bytes]) -> list[Row | None]:
        out: list[Row | None] = []
        remaining, others = iter(messages), 0
        while len(out) < len(messages):
            if others > _FEW and others > len(out) // 2:
                return out + self._by_the_rules(messages[len(out) :], len(out))
            run: list[Any] = []
            try:
                run.extend(map(self.typed, remaining))
            except (msgspec.MsgspecError, RecursionError):
                others += 1
            try:
                out += self.rows(run)
            except Exception:  # noqa: BLE001 - such as an invalid date; the rules decide what is wrong
                out += self._by_the_rules(messages[len(out) : len(out) + len(run)], len(out))
            out += self._by_the_rules(messages[len(out) : len(out) + 1], len(out))
        return out

    def _by_the_rules(self, messages: Sequence[bytes], before: int) -> list[Row | None]:
        try:
            return each(self.any, messages)
        except ElementError as error:
            raise ElementError(before + error.index) from error.__cause__


@lru_cache(maxsize=32)
def _decoder(schema: JsonRowDeserializationSchema) -> _Decoder:
    reading = schema.reading
    general = reading.reader(_parser(reading))
    try:
        struct, rows = _Typed(reading).row(reading.type_info)
    except ValueError:  # a field name that msgspec does not allow
        return _Decoder(_not_typed, list, general)
    return _Decoder(msgspec.json.Decoder(struct).decode, rows, general)


def _parser(reading: JsonReading) -> Callable[[bytes], Any]:
    """Return a fast parser, which falls back to the complete one: msgspec refuses some messages that Flink accepts."""
    quick = msgspec.json.Decoder(float_hook=without_zeros if has_decimals(reading.type_info) else None).decode
    exact = reading.parser()

    def parse(message: bytes) -> Any:
        try:
            return quick(message)
        except (msgspec.MsgspecError, RecursionError):
            return exact(message)

    return parse


def _not_typed(message: bytes) -> Any:
    raise msgspec.DecodeError


@final
@attrs.frozen
class _Typed:
    """Types that msgspec checks while parsing, each with a converter of its values, if it needs one."""

    reading: JsonReading

    def row(self, type_info: RowTypeInfo) -> tuple[Any, Callable[[Iterable[Any]], list[Row]]]:
        """Return the struct type of a row, and the function from such structs to rows."""
        names = type_info.get_field_names()
        types, converters = zip(*map(self.value, type_info.elements), strict=True) if names else ((), ())
        places = [f"f{place}" for place in range(len(names))]
        default = {} if self.reading.fail_on_missing_field else {"default": None}
        fields = [
            (place, kind, msgspec.field(name=name, **default))
            for place, name, kind in zip(places, names, types, strict=True)
        ]
        struct = msgspec.defstruct("Fields", fields, gc=False)
        converted = [(place, convert) for place, convert in enumerate(converters) if convert is not None]
        return struct, partial(_rows, names, _getter(places), converted)

    def value(self, type_info: TypeInformation[Any]) -> tuple[Any, Convert | None]:
        """Return the type of a nullable value, with its converter."""
        kind, convert = self._of(type_info)
        return (kind, convert) if kind is msgspec.Raw else (kind | None, convert and partial(_unless_none, convert))

    def _of(self, type_info: TypeInformation[Any]) -> tuple[Any, Convert | None]:
        match type_info.kind:
            case kind if kind in _AS_THEY_ARE:
                return _AS_THEY_ARE[kind]
            case TypeKind.DOUBLE:
                return float, _unsigned_zero if has_decimals(self.reading.type_info) else None
            case TypeKind.FLOAT:
                return float, single
            case TypeKind.ROW:
                assert isinstance(type_info, RowTypeInfo)
                struct, rows = self.row(type_info)
                return struct, lambda value: rows((value,))[0]
            case TypeKind.OBJECT_ARRAY | TypeKind.BASIC_ARRAY | TypeKind.LIST:
                element, convert = self.value(type_info.elements[0])
                return list[element], None if convert is None else partial(_converted, convert)  # type: ignore[valid-type]  # a type made at run time
            case TypeKind.MAP if type_info.elements[0].kind is TypeKind.STRING:
                element, convert = self.value(type_info.elements[1])
                return dict[str, element], None if convert is None else partial(_converted_values, convert)  # type: ignore[valid-type]  # as above
            case TypeKind.PRIMITIVE_ARRAY if type_info.elements[0].kind is TypeKind.BYTE:
                return str, json_bytes
            case _:
                return msgspec.Raw, self._from_text(type_info)

    def _from_text(self, type_info: TypeInformation[Any]) -> Convert:
        parse, convert = _parser(self.reading), self.reading.converter(type_info)
        return lambda raw: None if raw is None else convert(parse(raw))


def _getter(places: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    if len(places) > 1:
        return operator.attrgetter(*places)
    return lambda fields: tuple(getattr(fields, place) for place in places)


def _rows(
    names: list[str],
    values_of: Callable[[Any], tuple[Any, ...]],
    converted: Sequence[tuple[int, Convert]],
    read: Iterable[Any],
) -> list[Row]:
    values = list(map(list, map(values_of, read)))
    for place, convert in converted:
        for row in values:
            row[place] = convert(row[place])
    return named_rows(names, values)


def _converted(convert: Convert, values: list[Any]) -> list[Any]:
    return list(map(convert, values))


def _converted_values(convert: Convert, entries: dict[str, Any]) -> dict[str, Any]:
    return {key: convert(value) for key, value in entries.items()}


def _unless_none(convert: Convert, value: Any) -> Any:
    return None if value is None else convert(value)


def _unsigned_zero(value: float) -> float:
    """Return a decimal without the sign of zero, which Java's decimals lack."""
    return value + 0.0


def _whole(bits: int) -> Any:
    limit = 1 << (bits - 1)
    return Annotated[int, msgspec.Meta(ge=-limit, le=limit - 1)]


_AS_THEY_ARE: Final[dict[TypeKind, tuple[Any, Convert | None]]] = {
    TypeKind.STRING: (str, None),
    TypeKind.BOOLEAN: (bool, None),
    TypeKind.INT: (_whole(INT_BITS[TypeKind.INT]), None),
    TypeKind.LONG: (_whole(INT_BITS[TypeKind.LONG]), None),
    TypeKind.SQL_DATE: (str, json_date),
    TypeKind.SQL_TIME: (str, json_time),
    TypeKind.SQL_TIMESTAMP: (str, json_timestamp),
}
