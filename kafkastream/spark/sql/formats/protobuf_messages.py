"""Protobuf messages of tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, final

import attrs

from kafkastream.model.formats.malformed import malformed
from kafkastream.spark.sql.formats.message_format import MessageFormat, message_format
from kafkastream.spark.sql.formats.protobuf_class import MessageClass, check_fields, is_map, is_proto3
from kafkastream.spark.sql.formats.python_formats import PythonFormat
from kafkastream.spark.sql.formats.python_steps import MessageDecoder, MessageEncoder
from kafkastream.sql.connectors.key_value_fields import RecordPart
from kafkastream.sql.formats import ProtobufFormat
from kafkastream.sql.type_families import TEXT
from kafkastream.sql.types import DataType

__all__ = ["protobuf_decoder", "protobuf_encoder"]

Plain = Mapping[str, Any]
_Convert = Callable[[Any], Any]
_Set = Callable[[Any, Any], None]

_UINT32, _UINT64, _ENUM, _STRING, _MESSAGE = 3, 4, 8, 9, 10
_BYTES: Final = 12
_UNSIGNED: Final = {_UINT32: 32, _UINT64: 64}


def protobuf_decoder(part: RecordPart, settings: ProtobufFormat) -> MessageDecoder:
    """Return the decoder of a table's messages.

    Raises:
        DefinitionError: There is no such message, or it does not hold the columns.
    """
    message = _checked(part, settings)
    reads_defaults = settings.read_default_values or is_proto3(message.load().DESCRIPTOR)
    return _Decoder(part.row_type, message, reads_defaults, settings.ignore_parse_errors)


def protobuf_encoder(part: RecordPart, settings: ProtobufFormat) -> MessageEncoder:
    """Return the encoder of a table's messages.

    Raises:
        DefinitionError: There is no such message, or it does not hold the columns.
    """
    return _Encoder(part.row_type, _checked(part, settings), settings.write_null_string_literal)


def _checked(part: RecordPart, settings: ProtobufFormat) -> MessageClass:
    message = MessageClass.of(settings)
    check_fields(message.load().DESCRIPTOR, part.row_type.fields)
    return message


@final
@attrs.frozen
class _Decoder(MessageDecoder):
    kind: DataType
    message: MessageClass
    reads_defaults: bool
    skips_bad: bool

    def opened(self) -> Callable[[bytes], Plain]:
        parse = self.message.load().FromString
        row = _row(self.message.load().DESCRIPTOR, self.kind, self.reads_defaults)

        def decode(data: bytes) -> Plain:
            try:
                plain: Plain = row(parse(data))
            except Exception as error:  # noqa: BLE001 - ``malformed`` decides
                raise ValueError(f"Failed to deserialize PB object: {malformed(error)}") from None
            return plain

        return decode


def _row(descriptor: Any, kind: DataType, reads_defaults: bool) -> _Convert:
    fields = []
    for field in kind.fields:
        found = descriptor.fields_by_name[field.name]
        is_there = None if reads_defaults else _presence(found)
        fields.append((field.name, _loading(found, field.type, reads_defaults), is_there))

    def row(message: Any) -> Plain:
        return {
            name: load(getattr(message, name)) if is_there is None or is_there(message) else None
            for name, load, is_there in fields
        }

    return row


def _presence(field: Any) -> Callable[[Any], bool]:
    name = field.name
    if field.is_repeated:
        return lambda message: len(getattr(message, name)) > 0
    return lambda message: bool(message.HasField(name))


def _loading(field: Any, kind: DataType, reads_defaults: bool) -> _Convert:
    if is_map(field):
        key = _loading_one(field.message_type.fields_by_name["key"], kind.parts[0], reads_defaults)
        value = _loading_one(field.message_type.fields_by_name["value"], kind.parts[1], reads_defaults)
        return lambda pairs: [(key(one), value(pairs[one])) for one in pairs]
    one = _loading_one(field, kind.parts[0] if field.is_repeated else kind, reads_defaults)
    return (lambda values: list(map(one, values))) if field.is_repeated else one


def _loading_one(field: Any, kind: DataType, reads_defaults: bool) -> _Convert:
    if field.cpp_type == _MESSAGE:
        return _row(field.message_type, kind, reads_defaults)
    if field.cpp_type == _ENUM:
        names = {value.number: value.name for value in field.enum_type.values}
        return (lambda number: names.get(number, "UNRECOGNIZED")) if kind.kind in TEXT else _known(names)
    if field.cpp_type == _STRING and field.type != _BYTES:
        return _text
    bits = _UNSIGNED.get(field.cpp_type)
    if bits is not None:  # Java has no unsigned types
        return lambda number: number - (1 << bits) if number >> (bits - 1) else number
    return lambda value: value


def _text(value: str | bytes) -> str:
    """Return a text; of a proto2 message, Python gives one that is not UTF-8 as bytes, and Java one with replacements."""
    return value if isinstance(value, str) else value.decode(errors="replace")


def _known(names: Mapping[int, str]) -> _Convert:
    def known(number: int) -> int:
        if number not in names:
            raise ValueError("Can't get the number of an unknown enum value.")
        return number

    return known


@final
@attrs.frozen
class _Encoder(MessageEncoder):
    kind: DataType
    message: MessageClass
    null_text: str

    def opened(self) -> Callable[[Plain], bytes]:
        from google.protobuf.message import EncodeError

        message = self.message.load()
        fill = _filling(message.DESCRIPTOR, self.kind, self.null_text)

        def encode(row: Plain) -> bytes:
            made = message()
            fill(made, row)
            try:
                data: bytes = made.SerializeToString(deterministic=True)
            except EncodeError as error:
                raise ValueError(f"Fail to serialize a row as PB object: {error}") from None
            return data

        return encode


def _filling(descriptor: Any, kind: DataType, null_text: str) -> _Set:
    """Return a function that sets the fields that are not NULL, in column order: of a ``oneof``, the last one stays."""
    setters = [
        (field.name, _setting(descriptor.fields_by_name[field.name], field.type, null_text)) for field in kind.fields
    ]

    def fill(message: Any, row: Plain) -> None:
        for name, put in setters:
            if row[name] is not None:
                put(message, row[name])

    return fill


def _setting(field: Any, kind: DataType, null_text: str) -> _Set:
    name = field.name
    if is_map(field):
        return _setting_map(field, kind, null_text)
    if field.cpp_type == _MESSAGE:
        fill = _filling(field.message_type, kind.parts[0] if field.is_repeated else kind, null_text)
        return _setting_messages(name, fill) if field.is_repeated else _setting_message(name, fill)
    if field.is_repeated:
        one = _dumping(field, null_text)
        return lambda message, values: getattr(message, name).extend(map(one, values))
    dump = _dumping(field, null_text)
    return lambda message, value: setattr(message, name, dump(value))


def _setting_message(name: str, fill: _Set) -> _Set:
    def put(message: Any, row: Plain) -> None:
        part = getattr(message, name)
        part.SetInParent()
        fill(part, row)

    return put


def _setting_messages(name: str, fill: _Set) -> _Set:
    def put(message: Any, rows: list[Plain | None]) -> None:
        for row in rows:
            part = getattr(message, name).add()
            if row is not None:
                fill(part, row)

    return put


def _setting_map(field: Any, kind: DataType, null_text: str) -> _Set:
    name, value_field = field.name, field.message_type.fields_by_name["value"]
    key = _dumping(field.message_type.fields_by_name["key"], null_text)
    if value_field.cpp_type != _MESSAGE:
        value = _dumping(value_field, null_text)

        def put(message: Any, pairs: list[tuple[Any, Any]]) -> None:
            getattr(message, name).update({key(one): value(other) for one, other in pairs})

        return put
    fill = _filling(value_field.message_type, kind.parts[1], null_text)

    def put_messages(message: Any, pairs: list[tuple[Any, Any]]) -> None:
        for one, row in pairs:
            part = getattr(message, name)[key(one)]
            if row is not None:
                fill(part, row)

    return put_messages


def _dumping(field: Any, null_text: str) -> _Convert:
    """Return the conversion of values to a message's; NULL, which Protobuf lacks, becomes Flink's default."""
    if field.cpp_type == _ENUM:
        first = field.enum_type.values[0].number
        numbers = {value.name: value.number for value in field.enum_type.values}
        known = set(numbers.values())
        return lambda value: numbers.get(value, first) if isinstance(value, str) else value if value in known else first
    bits = _UNSIGNED.get(field.cpp_type)
    if bits is not None:
        return lambda number: (number or 0) % (1 << bits)
    nothing: Any = null_text if field.cpp_type == _STRING else 0
    nothing = b"" if field.type == _BYTES else nothing
    return lambda value: nothing if value is None else value


@final
@attrs.frozen
class _Protobuf(PythonFormat):
    settings: ProtobufFormat

    @property
    def null_problem(self) -> str | None:
        """Return the error text for a message that is NULL; Flink fails on it unless it ignores parse errors."""
        return None if self.settings.ignore_parse_errors else "Failed to deserialize PB object: there is none"

    def decoder(self, part: RecordPart) -> MessageDecoder:
        """Decode Protobuf."""
        return protobuf_decoder(part, self.settings)

    def encoder(self, part: RecordPart) -> MessageEncoder:
        """Encode Protobuf."""
        return protobuf_encoder(part, self.settings)


@message_format.register
def _(settings: ProtobufFormat) -> MessageFormat:
    return _Protobuf(settings)
