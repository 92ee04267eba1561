"""Classes of Protobuf messages of tables, and checks of their fields."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.sql.formats import ProtobufFormat
from kafkastream.sql.type_families import BYTES, TEXT, WHOLE
from kafkastream.sql.types import DataType, Kind, RowField

__all__ = ["MessageClass", "check_fields", "is_map", "is_proto3"]

_FITTING: Final[Mapping[str, frozenset[Kind]]] = {
    "BOOLEAN": frozenset({Kind.BOOLEAN}),
    "BYTE_STRING": BYTES,
    "DOUBLE": frozenset({Kind.DOUBLE}),
    "FLOAT": frozenset({Kind.FLOAT}),
    "ENUM": TEXT | WHOLE,
    "STRING": TEXT,
    "INT": frozenset({Kind.INT}),
    "LONG": frozenset({Kind.BIGINT}),
}
_JAVA_TYPES: Final = ("", "INT", "LONG", "INT", "LONG", "DOUBLE", "FLOAT", "BOOLEAN", "ENUM", "STRING", "MESSAGE")
"""Kinds of columns by ``cpp_type``, in which bytes are a kind of string."""
_BYTES: Final = 12
_MESSAGE: Final = 10


@final
@attrs.frozen
class MessageClass:
    """Reference to a class of messages, loaded on each machine.

    Args:
        name: ``module:Message``, or ``package.Message``.
        descriptors: Content of the descriptor file, for ``package.Message``.
    """

    name: str
    descriptors: bytes | None = attrs.field(default=None, repr=False)

    @staticmethod
    def of(settings: ProtobufFormat) -> MessageClass:
        """Return the class in a table's options.

        Raises:
            DefinitionError: There is no such message, or its descriptor cannot be read.
        """
        try:
            file = settings.descriptor_file
            found = MessageClass(settings.message_class_name, None if file is None else Path(file).read_bytes())
            found.load()
        except Exception as error:
            raise DefinitionError(
                f"there is no Protobuf message {settings.message_class_name!r}: {error}",
                where="protobuf.message-class-name",
                now="Write 'module:Message' for a class that protoc generated for Python, or 'package.Message' and "
                "'descriptor-file'.",
            ) from error
        return found

    def load(self) -> Any:
        """Return the class."""
        return _loaded(self)


@lru_cache(maxsize=64)
def _loaded(message: MessageClass) -> Any:
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    if message.descriptors is None:
        module, _, name = message.name.partition(":")
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
        return found
    files = {file.name: file for file in descriptor_pb2.FileDescriptorSet.FromString(message.descriptors).file}
    pool = descriptor_pool.DescriptorPool()
    added: set[str] = set()

    def add(name: str) -> None:
        if name in added:
            return
        added.add(name)
        file = files.get(name)
        if file is None:  # mostly a file of Protobuf's own
            file = descriptor_pb2.FileDescriptorProto()
            descriptor_pool.Default().FindFileByName(name).CopyToProto(file)
        for dependency in file.dependency:
            add(dependency)
        pool.Add(file)

    for name in files:
        add(name)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(message.name))


def is_map(field: Any) -> bool:
    """Return whether a field is a map."""
    return field.cpp_type == _MESSAGE and bool(field.message_type.GetOptions().map_entry)


def is_proto3(descriptor: Any) -> bool:
    """Return whether a message is defined in a proto3 file."""
    from google.protobuf import descriptor_pb2

    file = descriptor_pb2.FileDescriptorProto()
    descriptor.file.CopyToProto(file)
    return bool(file.syntax == "proto3")


def check_fields(descriptor: Any, fields: Iterable[RowField]) -> None:
    """Check that a message has fields for a table's columns, as Flink does.

    Raises:
        DefinitionError: A field is missing or has another type.
    """
    for field in fields:
        found = descriptor.fields_by_name.get(field.name)
        if found is None:
            raise _refusal(f"Column {field.name} does not exist in definition of proto class.")
        _check(found, field.type)


def _check(field: Any, kind: DataType) -> None:
    if is_map(field):
        if kind.kind is not Kind.MAP:
            raise _refusal(f"Unexpected LogicalType: {kind}. It should be MapType")
        key, value = (field.message_type.fields_by_name[name] for name in ("key", "value"))
        _check_one(key, kind.parts[0])
        _check_one(value, kind.parts[1])
    elif field.is_repeated:
        if kind.kind is not Kind.ARRAY:
            raise _refusal(f"Unexpected LogicalType: {kind}. It should be ArrayType")
        _check_one(field, kind.parts[0])
    else:
        _check_one(field, kind)


def _check_one(field: Any, kind: DataType) -> None:
    if field.cpp_type == _MESSAGE:
        if kind.kind is not Kind.ROW:
            raise _refusal(f"Unexpected LogicalType: {kind}. It should be RowType")
        check_fields(field.message_type, kind.fields)
        return
    java = "BYTE_STRING" if field.type == _BYTES else _JAVA_TYPES[field.cpp_type]
    if kind.kind not in _FITTING[java]:
        raise _refusal(
            f"Protobuf field type does not match column type, {java}(protobuf) is not compatible with {kind.kind.value}"
        )


def _refusal(what: str) -> DefinitionError:
    return DefinitionError(what, where="protobuf", now="Let names and types of columns be those of the message.")
