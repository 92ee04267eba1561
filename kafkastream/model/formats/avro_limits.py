"""Checks of Avro records against the limits for records, for schemas with which few bytes can become large values.

fastavro reads nested values by recursion in C, without a limit: a record of 5 kB overflows the stack and kills the worker
(https://github.com/fastavro/fastavro/blob/1.13.1/fastavro/_read.pyx). It also believes any number of items that take no
bytes. Only two kinds of schemas allow this: those that refer to themselves, and those with types without bytes. For
these, ``limit_check`` returns a function that walks through a record before fastavro reads it; others cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, final

import attrs

from kafkastream.model.formats.avro_defaults import kind_of
from kafkastream.model.formats.malformed import RecordLimits, record_limits
from kafkastream.options.records import MAX_DEPTH, MAX_EMPTY_ITEMS

__all__ = ["limit_check"]

_FEW_EMPTY_FIELDS: Final = 16
_VARINT_BYTES: Final = 10
_SIZES: Final[Mapping[str, int]] = {"null": 0, "boolean": 1, "float": 4, "double": 8}
_LENGTH_FIRST: Final = frozenset({"string", "bytes"})
_NESTING: Final = frozenset({"record", "array", "map"})


@final
@attrs.define(eq=False)
class _Type:
    """Type of a schema, as far as the lengths of its values depend on it.

    Attributes:
        kind: Type in the schema.
        parts: Types of fields, items, values or branches.
        size: Size of a value in bytes; None if it varies.
        depth: Depth of nested types; None while it is computed.
        empty_fields: Number of a record's fields without bytes, if they are many.
    """

    kind: str
    parts: list[_Type] = attrs.field(factory=list)
    size: int | None = None
    depth: int | None = None
    empty_fields: int = 0


def limit_check(schema: Any) -> Callable[[bytes], None] | None:
    """Return a function that raises ``ValueError`` for a record beyond the limits; None if no record can be.

    Args:
        schema: The schema by which fastavro reads, as fastavro parses it.

    Raises:
        RecursionError: The schema is nested too deep.
    """
    types = _Types()
    root = types.type_of(schema)
    is_safe = not types.is_recursive and not types.has_empty_values and (root.depth or 0) <= record_limits().depth
    return None if is_safe else _Check(root)


@final
@attrs.define(eq=False)
class _Types:
    """Types of a schema, those with names by their names."""

    named: dict[str, _Type] = attrs.field(factory=dict)
    is_recursive: bool = False
    has_empty_values: bool = False

    def type_of(self, schema: Any) -> _Type:
        """Return the type of a part of the schema."""
        if isinstance(schema, dict) and isinstance(schema["type"], dict | list):
            return self.type_of(schema["type"])
        if isinstance(schema, str) and schema in self.named:
            self.is_recursive |= self.named[schema].depth is None
            return self.named[schema]
        kind = kind_of(schema)
        result = _Type(kind, size=_SIZES.get(kind))
        if isinstance(schema, dict) and "name" in schema:
            self.named[schema["name"]] = result
        match schema:
            case list():
                result.parts = list(map(self.type_of, schema))
            case {"type": "array", "items": part}:
                result.parts = [self.type_of(part)]
                self.has_empty_values |= result.parts[0].size == 0
            case {"type": "map", "values": part}:
                result.parts = [self.type_of(part)]
            case {"type": "fixed", "size": size}:
                result.size = size
            case {"fields": fields}:
                self._add_fields(result, fields)
        depths = [part.depth or 0 for part in result.parts]
        result.depth = max(depths, default=0) + (kind in _NESTING)
        return result

    def _add_fields(self, record: _Type, fields: Sequence[Mapping[str, Any]]) -> None:
        record.parts = [self.type_of(field["type"]) for field in fields]
        sizes = [part.size for part in record.parts]
        record.size = None if None in sizes else sum(filter(None, sizes))
        if sizes.count(0) > _FEW_EMPTY_FIELDS:
            record.empty_fields = sizes.count(0)
            self.has_empty_values = True


@final
@attrs.frozen
class _Check:
    """Check of a record.

    Args:
        root: Type of the record.
    """

    root: _Type

    def __call__(self, record: bytes) -> None:
        """Check a record.

        Raises:
            ValueError: The record is beyond a limit, or not of its type.
        """
        _Walk(record, record_limits()).through(self.root)


@final
@attrs.define
class _Walk:
    """Walk through a record, without recursion: ``pending`` has what follows, the last one next.

    An entry of ``pending`` is a type, its depth, and the number of items that remain of a block of an array or map: 0 for
    the next block, None for a value.
    """

    record: bytes
    limits: RecordLimits
    offset: int = 0
    empty: int = 0
    pending: list[tuple[_Type, int, int | None]] = attrs.field(factory=list)

    def through(self, root: _Type) -> None:
        """Walk from the first byte to the end of the value."""
        self.pending.append((root, 0, None))
        while self.pending:
            part, depth, items = self.pending.pop()
            if items is not None:
                self._item(part, depth, items or self._block(part))
            elif part.kind in _NESTING:
                self._nested(part, depth + 1)
            elif part.kind == "union":
                self.pending.append((self._branch(part), depth, None))
            elif part.size is None:
                number = self._number()
                if part.kind in _LENGTH_FIRST:
                    self._skip(number)
            else:
                self._skip(part.size)

    def _nested(self, part: _Type, depth: int) -> None:
        if depth > self.limits.depth:
            raise ValueError(f"the record is nested deeper than {self.limits.depth} ({MAX_DEPTH.key})")
        if part.kind == "record":
            self._add_empty(part.empty_fields)
            self.pending.extend((field, depth, None) for field in reversed(part.parts))
        else:
            self.pending.append((part, depth, 0))

    def _block(self, part: _Type) -> int:
        """Return the number of items in the next block; 0 at the end. A negative number is followed by a size in bytes."""
        items = self._number()
        if items < 0:
            items = -items
            self._number()
        if part.kind == "array" and part.parts[0].size == 0:
            self._add_empty(items)
            return min(items, 1)  # to see how deep they are nested
        return items

    def _item(self, part: _Type, depth: int, items: int) -> None:
        if items:
            self.pending.append((part, depth, items - 1))
            if part.kind == "map":
                self._skip(self._number())
            self.pending.append((part.parts[0], depth, None))

    def _branch(self, union: _Type) -> _Type:
        index = self._number()
        if not 0 <= index < len(union.parts):
            raise ValueError(f"the bytes are not of the Avro schema: a union has no branch {index}")
        return union.parts[index]

    def _add_empty(self, number: int) -> None:
        self.empty += number
        if self.empty > self.limits.empty_items:
            raise ValueError(
                f"the record has more than {self.limits.empty_items} values without bytes ({MAX_EMPTY_ITEMS.key})"
            )

    def _skip(self, size: int) -> None:
        if not 0 <= size <= len(self.record) - self.offset:
            raise ValueError(f"the bytes are not of the Avro schema: {size} bytes expected")
        self.offset += size

    def _number(self) -> int:
        """Read a number in Avro's variable-length zigzag encoding."""
        number = 0
        for index, byte in enumerate(self.record[self.offset : self.offset + _VARINT_BYTES]):
            number |= (byte & 0x7F) << (7 * index)
            if byte <= 0x7F:
                self.offset += index + 1
                return (number >> 1) ^ -(number & 1)
        raise ValueError("the bytes are not of the Avro schema: a number does not end")
