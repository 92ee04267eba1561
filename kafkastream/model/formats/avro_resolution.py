"""Schema resolution by the rules of Java's Avro, done on the schemas: fastavro reads what comes out.

fastavro resolves schemas itself, but by other rules than Java's: defaults are taken as they are in JSON, records are
matched by their names, and a long becomes a float by way of a double. So the writer's schema is rewritten instead: each
part that the reader wants in another form carries a conversion, which fastavro calls as it calls those of logical types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from fractions import Fraction
from typing import Any, Final, NoReturn, final

import attrs

from kafkastream.model.common.value_printing import single
from kafkastream.model.formats.avro_defaults import DEFAULT, Convert, Named, default_value, definition, kind_of

__all__ = ["resolve"]

_CONVERT: Final = "kafkastream.convert"
_LOGICAL: Final = "kafkastream"
_NAMED: Final = frozenset({"record", "enum", "fixed"})
_SAME_BYTES: Final = {("string", "bytes"), ("bytes", "string")}


def _single_of_whole(number: int) -> float:
    """Return the nearest float; by way of a double, some integers would be rounded twice."""
    excess = max(number.bit_length() - 24, 0)
    return float(round(Fraction(number, 1 << excess)) << excess)


_PROMOTIONS: Final[Mapping[tuple[str, str], Convert | None]] = {
    ("int", "long"): None,
    ("int", "float"): single,
    ("int", "double"): float,
    ("long", "float"): _single_of_whole,
    ("long", "double"): float,
    ("float", "double"): None,
    **dict.fromkeys(_SAME_BYTES),
}


def resolve(writer: Any, writer_names: Named, reader: Any, reader_names: Named) -> Any:
    """Return the schema by which fastavro reads a writer's bytes as the reader's values.

    As in Java (https://github.com/apache/avro/blob/release-1.11.4/lang/java/avro/src/main/java/org/apache/avro/Resolver.java)
    a mismatch is an error only for records that have the part in question.

    Args:
        writer: The writer's schema, as fastavro parses it.
        writer_names: The writer's named types.
        reader: The reader's schema, as fastavro parses it.
        reader_names: The reader's named types.
    """
    _register_conversions()
    aliases = _Aliases()
    aliases.collect(reader, reader_names)
    return _Resolver(writer_names, reader_names, aliases).resolve(writer, reader)


@final
@attrs.frozen
class _Aliases:
    """New names of the writer's types and fields, from the reader's aliases."""

    types: dict[str, str] = attrs.Factory(dict)
    fields: dict[str, dict[str, str]] = attrs.Factory(dict)
    _seen: set[str] = attrs.Factory(set)

    def collect(self, schema: Any, named: Named) -> None:
        schema = definition(schema, named)
        if kind_of(schema) in _NAMED:
            if schema["name"] in self._seen:
                return
            self._seen.add(schema["name"])
            self._collect_of(schema)
        for part in _parts(schema):
            self.collect(part, named)

    def _collect_of(self, schema: Mapping[str, Any]) -> None:
        name = schema["name"]
        space = name.rpartition(".")[0]
        for alias in schema.get("aliases", ()):
            self.types[alias if "." in alias or not space else f"{space}.{alias}"] = name
        for field in schema.get("fields", ()):
            for alias in field.get("aliases", ()):
                self.fields.setdefault(name, {})[alias] = field["name"]

    def type_name(self, schema: Mapping[str, Any]) -> str:
        name = str(schema["name"])
        return self.types.get(name, name)

    def field_names(self, schema: Mapping[str, Any]) -> list[str]:
        """Return the names of a writer's fields; aliases apply only to records whose names match, as in Java."""
        renamed = self.fields.get(self.type_name(schema), {})
        return [renamed.get(field["name"], field["name"]) for field in schema["fields"]]


@final
@attrs.frozen
class _Resolver:
    writer_names: Named
    reader_names: Named
    aliases: _Aliases
    _emitted: dict[tuple[str, str | None], str] = attrs.Factory(dict)

    def resolve(self, writer: Any, reader: Any) -> Any:
        writer, reader = definition(writer, self.writer_names), definition(reader, self.reader_names)
        kind, reader_kind = kind_of(writer), kind_of(reader)
        if self._mismatches(writer, reader):
            return self._error(writer, reader)
        if kind == "union":
            is_by_position = self._are_equivalent(writer, reader, set())
            targets = reader if is_by_position else [reader] * len(writer)
            return [self.resolve(branch, target) for branch, target in zip(writer, targets, strict=True)]
        if kind == reader_kind:
            return self._same_kind(kind, writer, reader)
        if reader_kind == "union":
            return self.resolve(writer, self._branch(writer, reader))
        if (kind, reader_kind) in _SAME_BYTES:
            return reader_kind
        promote = _PROMOTIONS[kind, reader_kind]
        return kind if promote is None else _converted({"type": kind}, promote)

    def _mismatches(self, writer: Any, reader: Any) -> bool:
        """Return whether no value of a writer's schema can be read; parts of it are not looked at."""
        writer, reader = definition(writer, self.writer_names), definition(reader, self.reader_names)
        kind, reader_kind = kind_of(writer), kind_of(reader)
        if kind == "union":
            return False
        if kind != reader_kind:
            return (
                self._branch(writer, reader) is None
                if reader_kind == "union"
                else ((kind, reader_kind) not in _PROMOTIONS)
            )
        match kind:
            case "record":
                names = self.aliases.field_names(writer)
                is_missing = (field["name"] not in names and DEFAULT not in field for field in reader["fields"])
                return len(set(names)) < len(names) or any(is_missing)
            case "enum" | "fixed":
                return not self._is_same_name(writer, reader) or writer.get("size") != reader.get("size")
            case _:
                return False

    def _same_kind(self, kind: str, writer: Any, reader: Any) -> Any:
        match kind:
            case "record":
                return self._record(writer, reader)
            case "array":
                return {"type": "array", "items": self.resolve(writer["items"], reader["items"])}
            case "map":
                return {"type": "map", "values": self.resolve(writer["values"], reader["values"])}
            case "enum":
                return self._enum(writer, reader)
            case _:
                return self.skipped(writer)

    def _record(self, writer: Any, reader: Any) -> Any:
        pair = writer["name"], reader["name"]
        if pair in self._emitted:
            return self._emitted[pair]
        emitted: dict[str, Any] = {"type": "record", "name": self._emit(pair), "fields": []}
        names, wanted = self.aliases.field_names(writer), {field["name"]: field for field in reader["fields"]}
        for name, field in zip(names, writer["fields"], strict=True):
            kind = self.resolve(field["type"], wanted[name]["type"]) if name in wanted else self.skipped(field["type"])
            emitted["fields"].append({"name": field["name"], "type": kind})
        if [field["name"] for field in writer["fields"]] == list(wanted):
            return emitted
        return _converted(emitted, self._rearranged(dict(zip(names, writer["fields"], strict=True)), reader))

    def _rearranged(self, written: Mapping[str, Any], reader: Any) -> Convert:
        sources = [
            (field["name"], written[field["name"]]["name"], None)
            if field["name"] in written
            else (field["name"], None, self._default(field))
            for field in reader["fields"]
        ]

        def convert(record: dict[str, Any]) -> dict[str, Any]:
            return {
                name: record[source] if source is not None else default() if default is not None else None
                for name, source, default in sources
            }

        return convert

    def _default(self, field: Mapping[str, Any]) -> Callable[[], Any] | None:
        value = default_value(field["type"], field[DEFAULT], self.reader_names)
        if value is None:
            return None
        return (lambda: deepcopy(value)) if isinstance(value, (list, dict)) else (lambda: value)

    def _enum(self, writer: Any, reader: Any) -> Any:
        known = set(reader["symbols"])
        if known.issuperset(writer["symbols"]):
            return self.skipped(writer)
        otherwise = reader.get("default")

        def convert(symbol: str) -> str:
            if symbol not in known and otherwise is None:
                raise ValueError(f"no match for {symbol} in {reader['name']}")
            return symbol if symbol in known else str(otherwise)

        return _converted({**writer, "name": self._emit((writer["name"], reader["name"]))}, convert)

    def _error(self, writer: Any, reader: Any) -> Any:
        """Return a schema whose values cannot be read."""

        def convert(_: object) -> NoReturn:
            raise ValueError(f"the writer's {_described(writer)} cannot be read as {_described(reader)}")

        skipped = self.skipped(writer, is_new=True)
        return _converted(skipped if isinstance(skipped, dict) else {"type": skipped}, convert)

    def skipped(self, schema: Any, *, is_new: bool = False) -> Any:
        """Return a writer's schema as it is, with its named types defined where they come first."""
        schema = definition(schema, self.writer_names)
        match kind := kind_of(schema):
            case "union":
                return [self.skipped(branch) for branch in schema]
            case "array":
                return {"type": "array", "items": self.skipped(schema["items"])}
            case "map":
                return {"type": "map", "values": self.skipped(schema["values"])}
            case _ if kind not in _NAMED:
                return kind
        pair = schema["name"], None
        if pair in self._emitted and not is_new:
            return self._emitted[pair]
        emitted = {**schema, "type": kind, "name": self._emit(pair)}
        if "fields" in schema:
            fields = schema["fields"]
            emitted["fields"] = [{"name": field["name"], "type": self.skipped(field["type"])} for field in fields]
        return emitted

    def _emit(self, pair: tuple[str, str | None]) -> str:
        """Return a new name for a named type: one of the writer's may be read in several ways."""
        self._emitted[pair] = name = f"kafkastream.t{len(self._emitted)}"
        return name

    def _branch(self, writer: Any, branches: list[Any]) -> Any:
        """Return the branch of a reader's union for a writer's schema: equal, alike, or wider; None without one."""
        kind, alike = kind_of(writer), None
        for branch in branches:
            reader = definition(branch, self.reader_names)
            if kind_of(reader) != kind:
                continue
            if kind not in _NAMED or self.aliases.type_name(writer) == reader["name"]:
                return reader
            if kind == "record" and self._is_alike(writer, reader):
                alike = reader if alike is None or self._is_same_name(writer, reader) else alike
        wider = (branch for branch in branches if (kind, kind_of(branch)) in _PROMOTIONS)
        return alike if alike is not None else next(wider, None)

    def _is_alike(self, writer: Any, reader: Any) -> bool:
        """Return whether a record can be read, as far as Java looks: not into the parts of its fields."""
        wanted = {field["name"]: field["type"] for field in reader["fields"]}
        written = zip(self.aliases.field_names(writer), writer["fields"], strict=True)
        return not self._mismatches(writer, reader) and not any(
            self._mismatches(field["type"], wanted[name]) for name, field in written if name in wanted
        )

    def _is_same_name(self, writer: Any, reader: Any) -> bool:
        """Return whether names are equal, apart from namespaces: Java compares no more of them."""
        return _short(self.aliases.type_name(writer)) == _short(reader["name"])

    def _are_equivalent(self, writer: Any, reader: Any, seen: set[tuple[str, str]]) -> bool:
        """Return whether two unions have equal branches, apart from namespaces; then they are read branch by branch."""
        writer, reader = definition(writer, self.writer_names), definition(reader, self.reader_names)
        kind = kind_of(writer)
        if kind != kind_of(reader):
            return False
        if kind in _NAMED:
            if (pair := (writer["name"], reader["name"])) in seen:
                return True
            seen.add(pair)
            if not self._is_same_name(writer, reader):
                return False
            if kind == "record" and self.aliases.field_names(writer) != [f["name"] for f in reader["fields"]]:
                return False
            if any(writer.get(part) != reader.get(part) for part in ("symbols", "size")):
                return False
        parts, others = list(_parts(writer)), list(_parts(reader))
        return len(parts) == len(others) and all(
            self._are_equivalent(part, other, seen) for part, other in zip(parts, others, strict=True)
        )


def _parts(schema: Any) -> Iterator[Any]:
    match schema:
        case list():
            yield from schema
        case {"type": "array", "items": part} | {"type": "map", "values": part}:
            yield part
        case {"fields": fields}:
            for field in fields:
                yield field["type"]


def _short(name: str) -> str:
    return name.rpartition(".")[2]


def _described(schema: Any) -> str:
    return str(schema["name"]) if kind_of(schema) in _NAMED else kind_of(schema)


def _converted(schema: dict[str, Any], convert: Convert) -> dict[str, Any]:
    return {**schema, "logicalType": _LOGICAL, _CONVERT: convert}


def _register_conversions() -> None:
    # https://fastavro.readthedocs.io/en/latest/logical_types.html#custom-logical-types
    from fastavro.read import LOGICAL_READERS

    kinds = ("null", "boolean", "int", "long", "float", "double", "bytes", "string", "array", "map", *_NAMED)
    for kind in kinds:
        LOGICAL_READERS.setdefault(f"{kind}-{_LOGICAL}", _apply)


def _apply(value: Any, writer: Mapping[str, Any] | None, _: object) -> Any:
    assert writer is not None
    return writer[_CONVERT](value)
