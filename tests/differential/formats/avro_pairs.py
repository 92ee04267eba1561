"""Random pairs of Avro schemas, each with a record of the writer's: the reader's schema is the writer's, changed at random."""

from __future__ import annotations

import base64
import struct
from random import Random
from typing import Any

__all__ = ["random_pair"]

_PRIMITIVES = ("null", "boolean", "int", "long", "float", "double", "bytes", "string")
_WIDER = {
    "int": ("long", "float", "double"),
    "long": ("float", "double", "int"),
    "float": ("double", "int"),
    "double": ("float",),
    "string": ("bytes",),
    "bytes": ("string",),
}
_TEXTS = ("", "a", "\u00fftail", "\u20ac and \U0001f600", "x" * 70)
_SYMBOLS = ("RED", "GREEN", "BLUE", "GREY")


def random_pair(seed: int) -> dict[str, Any]:
    """Return the writer's and the reader's schema, and a record in base64."""
    random = Random(seed)
    schemas = _Schemas(random)
    writer = schemas.record(3)
    changes = _Changes(random)
    reader = changes.of(writer)
    data = _Encoder(random, {}).encode(writer, 4)
    return {"writer": writer, "reader": reader, "data": base64.b64encode(data).decode()}


class _Schemas:
    """Random schemas; names are unique, and a record may refer to one that is defined before it, or to itself."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._names: list[tuple[str, str]] = []

    def record(self, depth: int) -> dict[str, Any]:
        schema = self._named("record")
        names = self._random.sample(("a", "b", "c", "d", "e"), self._random.randint(1, 4))
        schema["fields"] = [{"name": name, "type": self._schema(depth - 1, schema)} for name in names]
        return schema

    def _named(self, kind: str) -> dict[str, Any]:
        name, namespace = f"{kind.title()}{len(self._names)}", self._random.choice(("one", "two.deep"))
        self._names.append((kind, f"{namespace}.{name}"))
        return {"type": kind, "name": name, "namespace": namespace}

    def _schema(self, depth: int, inside: dict[str, Any]) -> Any:
        choice = self._random.random()
        if depth <= 0 or choice < 0.4:
            return self._random.choice(_PRIMITIVES)
        if choice < 0.55:
            return self.record(depth)
        if choice < 0.63:
            return {"type": "array", "items": self._schema(depth - 1, inside)}
        if choice < 0.7:
            return {"type": "map", "values": self._schema(depth - 1, inside)}
        if choice < 0.76:
            symbols = self._random.sample(_SYMBOLS, self._random.randint(1, 3))
            return {**self._named("enum"), "symbols": symbols}
        if choice < 0.81:
            return {**self._named("fixed"), "size": self._random.randint(0, 3)}
        if choice < 0.86:
            return ["null", f"{inside['namespace']}.{inside['name']}"]
        return self._union(depth, inside)

    def _union(self, depth: int, inside: dict[str, Any]) -> list[Any]:
        """Return a union in which no type stands twice, named ones excepted."""
        branches: dict[str, Any] = {}
        for _ in range(self._random.randint(1, 4)):
            branch = self._schema(depth - 1, inside)
            if not isinstance(branch, list):
                kind = branch if isinstance(branch, str) else branch.get("name", branch["type"])
                branches.setdefault(kind, branch)
        return list(branches.values()) or ["null"]


class _Changes:
    """Changes a schema as programs do over the years, and as they should not."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._names: dict[str, str] = {}
        self._count = 0

    def of(self, schema: Any) -> Any:
        if self._happens(0.05):
            return self._union_of(schema)
        match schema:
            case list():
                return self._union(schema)
            case str() if schema in self._names:
                return self._names[schema]
            case str():
                return self._random.choice(_WIDER[schema]) if schema in _WIDER and self._happens(0.2) else schema
            case {"type": "record"}:
                return self._record(schema)
            case {"type": "array"}:
                return {"type": "array", "items": self.of(schema["items"])}
            case {"type": "map"}:
                return {"type": "map", "values": self.of(schema["values"])}
            case {"type": "enum"}:
                return self._enum(schema)
            case _:
                size = schema["size"] + 1 if self._happens(0.05) else schema["size"]
                return {**self._renamed(schema), "size": size}

    def _happens(self, chance: float) -> bool:
        return self._random.random() < chance

    def _union_of(self, schema: Any) -> list[Any]:
        reader = self.of(schema)
        if isinstance(reader, list):
            return reader
        others = [branch for branch in ("null", "double", "string") if branch != reader]
        return self._random.sample([reader, *others[: self._random.randint(1, 2)]], k=2)

    def _union(self, branches: list[Any]) -> Any:
        changed = [self.of(branch) for branch in branches]
        if len(changed) == 1 and self._happens(0.3):
            return changed[0]
        if self._happens(0.15):
            return changed[0]
        if self._happens(0.3):
            self._random.shuffle(changed)
        unique: dict[str, Any] = {}
        for branch in changed:
            if not isinstance(branch, list):
                kind = branch if isinstance(branch, str) else branch.get("name", branch["type"])
                unique.setdefault(kind, branch)
        return list(unique.values()) or ["null"]

    def _renamed(self, schema: dict[str, Any]) -> dict[str, Any]:
        former = f"{schema['namespace']}.{schema['name']}"
        changes: dict[str, Any] = {}
        if self._happens(0.15):
            changes["name"] = f"{schema['name']}New"
        if self._happens(0.1):
            changes["namespace"] = "three"
        if changes and self._happens(0.5):
            changes["aliases"] = [self._random.choice((former, schema["name"]))]
        renamed = {**schema, **changes}
        self._names[former] = f"{renamed['namespace']}.{renamed['name']}"
        return renamed

    def _enum(self, schema: dict[str, Any]) -> dict[str, Any]:
        enum = self._renamed(schema)
        if self._happens(0.4):
            enum["symbols"] = self._random.sample(_SYMBOLS, self._random.randint(1, 4))
            if self._happens(0.5):
                enum["default"] = self._random.choice(enum["symbols"])
        return enum

    def _record(self, schema: dict[str, Any]) -> dict[str, Any]:
        record = self._renamed(schema)
        fields = [self._field(field) for field in schema["fields"] if not self._happens(0.12)]
        while self._happens(0.45):
            fields.append(self._new_field())
        if self._happens(0.3):
            self._random.shuffle(fields)
        return {**record, "fields": fields}

    def _field(self, field: dict[str, Any]) -> dict[str, Any]:
        changed = {**field, "type": self.of(field["type"])}
        if self._happens(0.1):
            self._count += 1
            changed["name"] = f"{field['name']}{self._count}"
            changed["aliases"] = [field["name"]]
        return changed

    def _new_field(self) -> dict[str, Any]:
        self._count += 1
        schema, default = self._defaulted(2)
        field = {"name": f"n{self._count}", "type": schema}
        return field if self._happens(0.05) else {**field, "default": default}

    def _defaulted(self, depth: int) -> tuple[Any, Any]:  # noqa: C901 - a case for each type
        """Return a schema and a default of it; now and then one that is not."""
        self._count += 1
        schema: Any
        match self._random.randrange(15 if depth else 8):
            case 0:
                return "null", None
            case 1:
                return "boolean", self._happens(0.5)
            case 2:
                return self._random.choice(("int", "long")), self._random.choice((0, -5, 2**31 - 1, 2**40, 1.0))
            case 3 | 4:
                schema = self._random.choice(("float", "double", {"type": "double"}))
                return schema, self._random.choice((0, 1.5, 0.1, -3, 1e300, "NaN"))
            case 5:
                return "bytes", self._random.choice(("", "\u00ff", "ab\u0000", "\u20ac"))
            case 6:
                return "string", self._random.choice((*_TEXTS, 5))
            case 7:
                size = self._random.randint(0, 3)
                schema = {"type": "fixed", "name": f"NewFixed{self._count}", "size": size}
                return schema, "\u00fe" * (size if self._happens(0.8) else 2)
            case 8:
                symbols = self._random.sample(_SYMBOLS, 2)
                schema = {"type": "enum", "name": f"NewEnum{self._count}", "symbols": symbols}
                return schema, self._random.choice((symbols[1], "RED"))
            case 9:
                schema, default = self._defaulted(depth - 1)
                return {"type": "array", "items": schema}, [default] * self._random.randint(0, 2)
            case 10:
                schema, default = self._defaulted(depth - 1)
                return {"type": "map", "values": schema}, {"k": default} if self._happens(0.7) else {}
            case 11:
                schema, default = self._defaulted(depth - 1)
                branches = ["null", schema] if schema != "null" and not isinstance(schema, list) else ["null"]
                return branches, self._random.choice((None, default))
            case 12:
                return self._random.choice((["string", "null"], ["long", "bytes"])), self._random.choice((None, "s", 7))
            case _:
                return self._defaulted_record(depth)

    def _defaulted_record(self, depth: int) -> tuple[Any, Any]:
        name, fields, values = f"NewRecord{self._count}", [], {}
        for field in ("x", "y")[: self._random.randint(1, 2)]:
            schema, default = self._defaulted(depth - 1)
            fields.append({"name": field, "type": schema})
            if self._happens(0.6):
                fields[-1]["default"] = default
            if self._happens(0.6):
                values[field] = default
        return {"type": "record", "name": name, "fields": fields}, values


class _Encoder:
    """Random values of a schema, in Avro's binary form: each branch of a union comes with the same probability."""

    def __init__(self, random: Random, named: dict[str, Any]) -> None:
        self._random = random
        self._named = named

    def encode(self, schema: Any, depth: int) -> bytes:  # noqa: C901 - a case for each type
        random = self._random
        if isinstance(schema, list):
            index = schema.index("null") if depth <= 0 and "null" in schema else random.randrange(len(schema))
            return _long(index) + self.encode(schema[index], depth)
        if isinstance(schema, str) and schema in self._named:
            return self.encode(self._named[schema], depth - 1)
        if isinstance(schema, dict) and "name" in schema:
            self._named[f"{schema['namespace']}.{schema['name']}"] = schema
        match schema if isinstance(schema, str) else schema["type"]:
            case "null":
                return b""
            case "boolean":
                return bytes([random.randint(0, 1)])
            case "int":
                return _long(random.choice((0, -1, 5, 2**24 + 1, 2**31 - 1, -(2**31))))
            case "long":
                return _long(random.choice((0, -1, 7, 2**53 + 1, 2**62 + 2**38 + 1, -(2**63))))
            case "float":
                return struct.pack("<f", random.choice((0.0, -0.0, 0.1, 3e38, float("inf"))))
            case "double":
                return struct.pack("<d", random.choice((0.0, -0.0, 0.1, 1e300, float("-inf"))))
            case "bytes":
                return _block(random.choice((b"", b"abc", b"\xff\xfe", "\u20ac".encode())))
            case "string":
                return _block(random.choice(_TEXTS).encode())
            case "enum":
                return _long(random.randrange(len(schema["symbols"])))
            case "fixed":
                return random.randbytes(schema["size"])
            case "record":
                return b"".join(self.encode(field["type"], depth) for field in schema["fields"])
            case "array":
                count = random.randint(0, 2)
                elements = b"".join(self.encode(schema["items"], depth - 1) for _ in range(count))
                return (_long(count) + elements if count else b"") + _long(0)
            case _:
                count = random.randint(0, 2)
                entries = b"".join(_block(b"k%d" % n) + self.encode(schema["values"], depth - 1) for n in range(count))
                return (_long(count) + entries if count else b"") + _long(0)


def _block(content: bytes) -> bytes:
    return _long(len(content)) + content


def _long(value: int) -> bytes:
    number, encoded = (value << 1) ^ (value >> 63), bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*encoded, number])
