"""Rows of tables: classes of rows, their JSON encoding and decoding."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias, final

import msgspec

from kafkastream.cdc.changes import Row
from kafkastream.cdc.errors import MalformedRecordError, MisfitError
from kafkastream.cdc.tables import Column
from kafkastream.cdc.times import TimeCheck
from kafkastream.cdc.values import Conversion, Convert, Json, checked, json_members, wire_type
from kafkastream.model.formats.malformed import is_malformed, malformed

__all__ = ["ENCODER", "RowDecoder", "are_plain", "encodable", "encode_row", "members_of", "row_class", "row_encoder"]

Check: TypeAlias = Callable[[Any], Any]
Fast: TypeAlias = Callable[[Json], Row | None]
Members: TypeAlias = Callable[[Json], Mapping[str, msgspec.Raw] | None]

_NOT_RENAMED: Final = re.compile(r'["\\\x00-\x1f]')
"""Characters that msgspec does not allow in the JSON name of a field."""
_MOST_REBUILDS: Final = 16
_NO_TRANSFORMS: Final[Mapping[str, Callable[[Json], Json]]] = {}
ENCODER: Final = msgspec.json.Encoder(decimal_format="number")
"""JSON encoder of rows and of objects that contain them: DECIMAL is a number with all its digits."""
_NAMES: Final[dict[type[msgspec.Struct], tuple[str, ...]]] = {}
"""Column names by class, for classes whose fields cannot have them as JSON names."""


@lru_cache(maxsize=4096)
def row_class(columns: tuple[Column, ...]) -> type[msgspec.Struct]:
    """Return the class of a schema's rows, with fields ``f0``, ``f1``, … that have the columns' names in JSON.

    Example:
        >>> from kafkastream.sql.types import DataType
        >>> Order = row_class((Column("id", DataType.string()), Column("note", DataType.string())))
        >>> encode_row(Order("1", f1="ink"))
        b'{"id":"1","note":"ink"}'
    """
    fields = [(f"f{place}", wire_type(column.type), None) for place, column in enumerate(columns)]
    names = tuple(column.name for column in columns)
    class_ = _struct("Row", fields, names, forbids_unknown=True)
    if not are_plain(names):
        _NAMES[class_] = names
    return class_


def _struct(
    name: str, fields: Sequence[tuple[str, Any, Any]], names: Sequence[str], *, forbids_unknown: bool
) -> type[msgspec.Struct]:
    rename = {field[0]: name for field, name in zip(fields, names, strict=True)} if are_plain(names) else None
    return msgspec.defstruct(name, fields, rename=rename, forbid_unknown_fields=forbids_unknown, gc=False)


def are_plain(names: Sequence[str]) -> bool:
    """Return whether msgspec accepts all names as JSON names of fields."""
    return _NOT_RENAMED.search("".join(names)) is None


def encodable(row: Row) -> Any:
    """Return an object that ``ENCODER`` encodes as a row's JSON: the row, or a dict if column names contain quotes."""
    names = _NAMES.get(type(row))
    return row if names is None else dict(zip(names, msgspec.structs.astuple(row), strict=True))


def encode_row(row: Row) -> bytes:
    """Encode a row as a JSON object: DECIMAL as a number with all its digits, BYTES in base64.

    Example:
        >>> from decimal import Decimal
        >>> from kafkastream.sql.types import DataType, Kind
        >>> encode_row(row_class((Column("price", DataType.of(Kind.DECIMAL, 4, 2)),))(Decimal("1.50")))
        b'{"price":1.50}'
    """
    return ENCODER.encode(encodable(row))


def row_encoder(columns: tuple[Column, ...]) -> Callable[[Row], bytes]:
    """Return the fastest function from the rows of a schema to their JSON."""
    return ENCODER.encode if are_plain([column.name for column in columns]) else encode_row


@final
class RowDecoder:
    """Decodes JSON objects to rows of a schema.

    msgspec's typed decoding does most in one step. If a value fits its column but not msgspec's type (a number in a
    STRING column), the decoder converts it, and expects such values in that column from then on.

    Args:
        columns: Columns of the schema.
        names: Names of the JSON members of the columns.
        conversion: Conversion of values.
        forbids_unknown: Treat a member without a column as a misfit, unless it is null.
        transforms: Functions that transform the JSON of members before conversion, by name.
        members: Function that finds the members, if they are not simply those of the object.

    Raises:
        UnsupportedFeatureError: The type of a column is not supported in pipelines.
    """

    def __init__(
        self,
        columns: tuple[Column, ...],
        names: Sequence[str],
        conversion: Conversion,
        *,
        forbids_unknown: bool,
        transforms: Mapping[str, Callable[[Json], Json]] = _NO_TRANSFORMS,
        members: Members | None = None,
    ) -> None:
        self._columns = columns
        self._names = tuple(names)
        self._places = {name: place for place, name in enumerate(self._names)}
        converts = [conversion.converter(column.type) for column in columns]
        self._converts = [
            _transforming(convert, transforms[name]) if name in transforms else convert
            for name, convert in zip(self._names, converts, strict=True)
        ]
        self._is_plain = members is None and are_plain(self._names)
        self._members = members or members_of
        self._conversion = conversion
        self._forbids_unknown = forbids_unknown
        self._class = row_class(columns)
        self._loose = {place for name, place in self._places.items() if name in transforms}
        self._nulls: set[str] = set()
        self._rebuilds = 0
        self._fast = self._faster()

    def __call__(self, data: Json, _key: object = None, _metadata: object = None) -> Row | None:
        """Decode an object to a row; None for ``null``.

        The record's key and metadata are ignored, so that a decoder has the signature of functions that use them.

        Raises:
            MisfitError: A value does not fit its column, or a member has no column.
            MalformedRecordError: The data is not a JSON object.
        """
        try:
            return self._fast(data)
        except Exception as error:
            if not is_malformed(error):
                raise
            return self._slow(data)

    def _row(self, members: Mapping[str, Json]) -> Row:
        values: list[Any] = [None] * len(self._columns)
        for name, value in members.items():
            place = self._places.get(name)
            if place is not None:
                values[place] = self._converted(place, value)
            elif self._forbids_unknown and bytes(value) != b"null":
                raise MisfitError(f"{name[:100]!r} is not a column")
        return self._class(*values)

    def _converted(self, place: int, value: Json) -> Any:
        try:
            return self._converts[place](value)
        except Exception as error:
            error = malformed(error)
            raise MisfitError(f"column {self._names[place][:100]!r}: {error}") from error

    def _slow(self, data: Json) -> Row | None:
        members = self._members(data)
        if members is None:
            return None
        row = self._row(members)
        self._learn(members)
        return row

    def _learn(self, members: Mapping[str, Json]) -> None:
        """Adapt to members that typed decoding has refused, so that it accepts them next time."""
        if self._rebuilds == _MOST_REBUILDS or not self._is_plain:
            return
        unknown = {name for name in members if name not in self._places} if self._forbids_unknown else set()
        nulls = {name for name in unknown if are_plain([name])} - self._nulls
        loose = {
            place
            for name, place in self._places.items()
            if name in members and not self._is_usual(place, members[name])
        }
        if nulls or loose - self._loose:
            self._nulls |= nulls
            self._loose |= loose
            self._rebuilds += 1
            self._fast = self._faster()

    def _is_usual(self, place: int, value: Json) -> bool:
        type_ = wire_type(self._columns[place].type)
        try:
            msgspec.json.decode(bytes(value), type=type_)
        except ValueError:
            return False
        return True

    def _faster(self) -> Fast:
        """Compile the function for common objects, which raises ``ValueError`` for others."""
        if not self._is_plain:
            return self._unusual
        checks = [checked(column.type, self._conversion) for column in self._columns]
        has_own_names = self._names != tuple(column.name for column in self._columns)
        if self._loose or self._nulls or has_own_names or not self._forbids_unknown:
            return self._by_wire(checks)
        return _direct(self._class, [(f"f{place}", check) for place, check in enumerate(checks) if check is not None])

    def _unusual(self, data: Json) -> Row | None:
        raise MisfitError("typed decoding has no rule for the members")

    def _by_wire(self, checks: Sequence[Check | None]) -> Fast:
        """Compile a function that decodes to values, some of them raw JSON, and then to a row."""
        fields = [
            (f"f{place}", msgspec.Raw if place in self._loose else wire_type(column.type), None)
            for place, column in enumerate(self._columns)
        ]
        nulls = sorted(self._nulls)
        fields += [(f"n{place}", None, None) for place in range(len(nulls))]
        wire = _struct("Wire", fields, (*self._names, *nulls), forbids_unknown=self._forbids_unknown)
        finish = [self._converts[place] if place in self._loose else check for place, check in enumerate(checks)]
        steps = [(place, step) for place, step in enumerate(finish) if step is not None]
        decode: Fast = msgspec.json.Decoder(wire | None).decode
        class_, count = self._class, len(self._columns)

        def fast(data: Json) -> Row | None:
            found = decode(data)
            if found is None:
                return None
            values = list(msgspec.structs.astuple(found)[:count])
            for place, step in steps:
                if values[place] is not None:
                    values[place] = step(values[place])
            return class_(*values)

        return fast


def _transforming(convert: Convert, transform: Callable[[Json], Json]) -> Convert:
    def transformed(value: Json) -> Any:
        return None if bytes(value) == b"null" else convert(transform(value))

    return transformed


def members_of(data: Json) -> dict[str, msgspec.Raw] | None:
    """Return the members of a JSON object; None for ``null``.

    Raises:
        MalformedRecordError: The data is not a JSON object.
    """
    try:
        return None if bytes(data).strip() == b"null" else json_members(data)
    except Exception as error:
        raise MalformedRecordError(f"not a JSON object: {malformed(error)}") from error


def _direct(class_: type[msgspec.Struct], checks: Sequence[tuple[str, Check]]) -> Fast:
    """Compile a function that decodes to a row in one step, and converts some of its values."""
    decode: Fast = msgspec.json.Decoder(class_ | None).decode
    times = [(name, check.is_usual, check) for name, check in checks if isinstance(check, TimeCheck)]
    others = [(name, check) for name, check in checks if not isinstance(check, TimeCheck)]

    def fast(data: Json) -> Row | None:
        row = decode(data)
        if row is not None:
            for name, is_usual, check in times:
                text = getattr(row, name)
                if text is not None and is_usual(text) is None:
                    setattr(row, name, check(text))
            for name, convert in others:
                value = getattr(row, name)
                if value is not None:
                    setattr(row, name, convert(value))
        return row

    return fast if checks else decode
