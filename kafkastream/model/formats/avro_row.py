"""Rows as bare Avro records."""

from __future__ import annotations

import datetime
import io
import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final, NamedTuple, final

import attrs
from typing_extensions import Self

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.row import Row, field_values, named_rows
from kafkastream.model.common.types import RowTypeInfo, TypeInformation, Types
from kafkastream.model.formats.avro_schema import avro_reader, avro_schema, parsed_schema
from kafkastream.model.formats.malformed import malformed, record_limits
from kafkastream.model.formats.schema import DeserializationSchema, SerializationSchema, non_null
from kafkastream.options.records import MAX_DIGITS

__all__ = ["AvroRowDeserializationSchema", "AvroRowSerializationSchema"]

_EPOCH: Final = datetime.datetime(1970, 1, 1)  # noqa: DTZ001 - SQL's timestamps have no zone
_MICROSECOND: Final = datetime.timedelta(microseconds=1)
_BYTES_PER_DIGIT: Final = math.log(10, 256)
_DAY_ZERO: Final = _EPOCH.date().toordinal()


class _Field(NamedTuple):
    """Type of a field, with its conversions from fastavro's values and back."""

    type_info: TypeInformation[Any]
    load: Callable[[Any], Any]
    dump: Callable[[Any], Any]


@attrs.frozen
class _AvroRowSchema:
    """Schema of the records of rows, as JSON and as it is used."""

    record_class: str | None = attrs.field(default=None, repr=False)
    avro_schema_string: str | None = None
    _field: _Field = attrs.field(init=False, eq=False, repr=False)
    _parsed: Any = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        where = type(self).__name__
        if self.record_class is not None:
            raise UnsupportedFeatureError(
                "record_class names a Java class", where=where, now="Give the class's schema as avro_schema_string."
            )
        if self.avro_schema_string is None:
            raise DefinitionError("record_class or avro_schema_string should be specified", where=where)
        definition = avro_schema(self.avro_schema_string, where)
        field = _Reader(where, {}).field(definition)
        if not isinstance(field.type_info, RowTypeInfo):
            raise DefinitionError(
                "Row type information expected: the schema's root is not a record",
                where=where,
                now="Wrap it in a record.",
            )
        object.__setattr__(self, "_field", field)
        object.__setattr__(self, "_parsed", parsed_schema(definition))

    def __reduce__(self) -> tuple[type[Self], tuple[None, str | None]]:
        return (type(self), (None, self.avro_schema_string))


@final
@attrs.frozen
class AvroRowDeserializationSchema(_AvroRowSchema, DeserializationSchema[Row]):
    r"""A bare Avro record (no file header, no registry) per Kafka record to a row, as Flink's class of this name.

    Dates, times and timestamps are Python's, without a zone: the wall clock of UTC. Decimals are ``Decimal``, enums
    text, arrays lists, bytes and fixed ``bytes``; other logical types are ignored. A tombstone fails the job.
    Differs from Flink: a value of a union of several types and null is a plain Python value, a record among them a
    dictionary; timestamps with the logical type for local ones are numbers, as other logical types are.

    Args:
        record_class: Refused, since it is the name of a Java class.
        avro_schema_string: The schema, as JSON; its root is a record.

    Raises:
        DefinitionError: The schema is missing, or is none of a record.
        UnsupportedFeatureError: A class is given.

    Example:
        >>> schema = '{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]}'
        >>> AvroRowDeserializationSchema(avro_schema_string=schema).deserialize(b"\x0e")
        Row(id=7)
    """

    _read: Callable[[bytes], Any] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        _AvroRowSchema.__attrs_post_init__(self)
        object.__setattr__(self, "_read", avro_reader(self._parsed))

    def deserialize(self, message: bytes | None) -> Row:
        """Return the row of a record."""
        try:
            row: Row = self._field.load(self._read(non_null(message)))
        except Exception as error:
            raise malformed(error) from error  # such as a date beyond those of Python
        return row

    def get_produced_type(self) -> RowTypeInfo:
        """Return the type of rows that the schema describes."""
        assert isinstance(self._field.type_info, RowTypeInfo)
        return self._field.type_info

    getProducedType = get_produced_type


@final
@attrs.frozen
class AvroRowSerializationSchema(_AvroRowSchema, SerializationSchema[Row]):
    r"""A row to a bare Avro record (no file header, no registry), as Flink's class of this name.

    Rows of a declared type are written by position, as in Flink; rows without one, which PyFlink cannot write, by name if
    they have the schema's names. A decimal with more digits than the schema's scale is an error, as in Flink.

    Args:
        record_class: Refused, since it is the name of a Java class.
        avro_schema_string: The schema, as JSON; its root is a record.

    Raises:
        DefinitionError: The schema is missing, or is none of a record.
        UnsupportedFeatureError: A class is given.

    Example:
        >>> schema = '{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]}'
        >>> AvroRowSerializationSchema(avro_schema_string=schema).serialize(Row(7))
        b'\x0e'
    """

    @property
    def row_type(self) -> RowTypeInfo:
        """Type of the rows that the schema describes."""
        assert isinstance(self._field.type_info, RowTypeInfo)
        return self._field.type_info

    def serialize(self, element: Row) -> bytes:
        """Return the record of a row."""
        from fastavro import schemaless_writer

        out = io.BytesIO()
        schemaless_writer(out, self._parsed, self._field.dump(element))
        return out.getvalue()


@final
@attrs.frozen
class _Reader:
    """Reads a schema; ``named`` has the types that it has named so far, None while one is being read."""

    where: str
    named: dict[str, _Field | None]

    def field(self, schema: Any, space: str = "") -> _Field:
        """Return the field for a part of the schema."""
        match schema:
            case list():
                return self._union(schema, space)
            case str() if schema in _PRIMITIVES:
                return _PRIMITIVES[schema]
            case str():
                return self._known(schema, space)
            case {"type": "record" | "error", "fields": list()}:
                return self._record(schema, space)
            case {"type": "array", "items": items}:
                return _array(self.field(items, space))
            case {"type": "map", "values": values}:
                return _map(self.field(values, space))
            case {"type": "enum" | "fixed" as kind}:
                return self._named(schema, space, _PRIMITIVES["string"] if kind == "enum" else _fixed(schema))
            case {"type": kind, "logicalType": str() as logical} if (kind, logical) in _LOGICAL:
                return _LOGICAL[kind, logical](schema)
            case {"type": kind}:
                return self.field(kind, space)
            case _:
                raise DefinitionError(f"the Avro schema cannot be used: {schema!r}", where=self.where)

    def _union(self, branches: list[Any], space: str) -> _Field:
        fields = [self.field(branch, space) for branch in branches if branch != "null"]
        if len(fields) != 1:
            return _Field(Types.PICKLED_BYTE_ARRAY(), _same, _same) if fields else _PRIMITIVES["null"]
        return _nullable(fields[0])

    def _record(self, schema: Mapping[str, Any], space: str) -> _Field:
        space = self._full_name(schema, space).rpartition(".")[0]
        self.named[self._full_name(schema, space)] = None
        names = [field["name"] for field in schema["fields"]]
        return self._named(schema, space, _row(names, [self.field(field["type"], space) for field in schema["fields"]]))

    def _named(self, schema: Mapping[str, Any], space: str, field: _Field) -> _Field:
        self.named[self._full_name(schema, space)] = field
        return field

    def _full_name(self, schema: Mapping[str, Any], space: str) -> str:
        name, space = str(schema["name"]), str(schema.get("namespace", space))
        return name if "." in name or not space else f"{space}.{name}"

    def _known(self, name: str, space: str) -> _Field:
        full = f"{space}.{name}" if space and f"{space}.{name}" in self.named else name
        if full not in self.named:
            raise DefinitionError(f"the Avro schema cannot be used: no type {name!r}", where=self.where)
        found = self.named[full]
        if found is None:
            raise UnsupportedFeatureError(
                f"the Avro type {name!r} contains itself", where=self.where, now="Rows have a fixed depth."
            )
        return found


def _same(value: Any) -> Any:
    return value


def _nullable(field: _Field) -> _Field:
    return _Field(
        field.type_info,
        lambda value: None if value is None else field.load(value),
        lambda value: None if value is None else field.dump(value),
    )


def _row(names: list[str], fields: list[_Field]) -> _Field:
    loads = tuple((name, field.load) for name, field in zip(names, fields, strict=True))
    dumps = tuple((name, field.dump) for name, field in zip(names, fields, strict=True))

    def load(record: Mapping[str, Any]) -> Row:
        return named_rows(names, ([convert(record[name]) for name, convert in loads],))[0]

    def dump(row: Row) -> dict[str, Any]:
        if not isinstance(row, Row):
            raise TypeError(f"the schema writes rows, got a {type(row).__name__}")
        values = field_values(row, names)
        if len(values) != len(names):
            raise ValueError(f"the row has {len(values)} values, its type has {len(names)}")
        return {name: _dumped(name, convert, value) for (name, convert), value in zip(dumps, values, strict=True)}

    return _Field(Types.ROW_NAMED(names, [field.type_info for field in fields]), load, dump)


def _dumped(name: str, convert: Callable[[Any], Any], value: Any) -> Any:
    try:
        return convert(value)
    except (TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"field {name!r}: {error}") from error


def _array(element: _Field) -> _Field:
    return _Field(
        Types.OBJECT_ARRAY(element.type_info),
        lambda values: list(map(element.load, values)),
        lambda values: list(map(element.dump, values)),
    )


def _map(value: _Field) -> _Field:
    return _Field(
        Types.MAP(Types.STRING(), value.type_info),
        lambda items: {key: value.load(item) for key, item in items.items()},
        lambda items: {key: value.dump(item) for key, item in items.items()},
    )


def _checked(kind: type) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if not isinstance(value, kind):
            raise TypeError(f"expected a {kind.__name__}, got a {type(value).__name__}")
        return value

    return check


def _whole(bits: int) -> Callable[[int], int]:
    def check(value: int) -> int:
        if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
            raise ValueError(f"{value} does not fit into {bits} bits")
        return value

    return check


def _decimal(schema: Mapping[str, Any]) -> _Field:
    scale, size = int(schema.get("scale", 0)), schema.get("size")

    def load(data: bytes) -> Decimal:
        if len(data) > record_limits().digits * _BYTES_PER_DIGIT + 1:
            raise ValueError(f"a decimal has more than {record_limits().digits:,} digits ({MAX_DIGITS.key})")
        number = int.from_bytes(data, "big", signed=True)
        return Decimal((number < 0, tuple(map(int, str(abs(number)))), -scale))

    def dump(value: Decimal) -> bytes:
        sign, digits, exponent = value.as_tuple()
        if not isinstance(exponent, int):
            raise TypeError(f"{value} is not a number")
        shift = exponent + scale
        if shift < 0 and any(digits[shift:]):
            raise ValueError(f"{value} has more than {scale} digits after the point")
        number: int = int("".join(map(str, digits)))
        number = number * 10**shift if shift >= 0 else number // 10**-shift
        number = -number if sign else number
        length = number.bit_length() // 8 + 1 if size is None else int(size)
        return number.to_bytes(length, "big", signed=True)

    return _Field(Types.BIG_DEC(), load, dump)


def _fixed(schema: Mapping[str, Any]) -> _Field:
    return _decimal(schema) if schema.get("logicalType") == "decimal" else _PRIMITIVES["bytes"]


def _date(_: object) -> _Field:
    return _Field(
        Types.SQL_DATE(),
        lambda days: datetime.date.fromordinal(_DAY_ZERO + days),
        lambda day: day.toordinal() - _DAY_ZERO,
    )


def _time(per_second: int) -> Callable[[object], _Field]:
    """Flink's times end at milliseconds."""

    def load(value: int) -> datetime.time:
        millis = value * 1_000 // per_second
        return (_EPOCH + datetime.timedelta(milliseconds=millis)).time()

    def dump(value: datetime.time) -> int:
        since = datetime.datetime.combine(_EPOCH, value.replace(tzinfo=None)) - _EPOCH
        millis = since // datetime.timedelta(milliseconds=1)
        return millis * per_second // 1_000

    return lambda _: _Field(Types.SQL_TIME(), load, dump)


def _timestamp(per_second: int) -> Callable[[object], _Field]:
    def load(value: int) -> datetime.datetime:
        return _EPOCH + datetime.timedelta(microseconds=value * 1_000_000 // per_second)

    def dump(value: datetime.datetime) -> int:
        return (value.replace(tzinfo=None) - _EPOCH) // _MICROSECOND * per_second // 1_000_000

    return lambda _: _Field(Types.SQL_TIMESTAMP(), load, dump)


_PRIMITIVES: Final[Mapping[str, _Field]] = {
    "null": _Field(Types.VOID(), _same, _same),
    "boolean": _Field(Types.BOOLEAN(), _same, _checked(bool)),
    "int": _Field(Types.INT(), _whole(32), _whole(32)),
    "long": _Field(Types.LONG(), _same, _whole(64)),
    "float": _Field(Types.FLOAT(), _same, _same),
    "double": _Field(Types.DOUBLE(), _same, _same),
    "bytes": _Field(Types.PRIMITIVE_ARRAY(Types.BYTE()), _same, _checked(bytes)),
    "string": _Field(Types.STRING(), _same, _checked(str)),
}
_LOGICAL: Final[Mapping[tuple[str, str], Callable[[Mapping[str, Any]], _Field]]] = {
    ("bytes", "decimal"): _decimal,
    ("int", "date"): _date,
    ("int", "time-millis"): _time(1_000),
    ("long", "time-micros"): _time(1_000_000),
    ("long", "timestamp-millis"): _timestamp(1_000),
    ("long", "timestamp-micros"): _timestamp(1_000_000),
}
