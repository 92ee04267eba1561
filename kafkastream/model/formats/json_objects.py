"""JSON of objects: records become objects of attrs classes or dataclasses, as Jackson makes Java's of them."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Iterator
from typing import Any, TypeVar, final

import attrs
import msgspec

from kafkastream.errors import DefinitionError
from kafkastream.model.formats.schema import DeserializationSchema, SerializationSchema

__all__ = ["JsonDeserializationSchema", "JsonSerializationSchema", "object_of_json", "resolve_annotations"]

T = TypeVar("T")


def object_of_json(text: str | bytes, kind: type[T], *, ignore_unknown: bool = False) -> T:
    """Read an object from JSON, whose fields are those of the class.

    Text such as ``"5"`` is taken for a number where the class has a number, as by Jackson.

    Args:
        text: JSON.
        kind: attrs class or dataclass.
        ignore_unknown: Whether fields that the class lacks are left out; they are an error otherwise.

    Raises:
        ValueError: The JSON is not valid, or not of the class.

    Example:
        >>> @attrs.define
        ... class Order:
        ...     id: int
        ...     item: str = ""
        >>> object_of_json('{"id": "7", "item": "tea"}', Order)
        Order(id=7, item='tea')
    """
    resolve_annotations(kind)
    try:
        read = msgspec.json.decode(text)
        if not ignore_unknown and isinstance(read, dict):
            _check_known(read, kind)
        return msgspec.convert(read, kind, strict=False)
    except msgspec.MsgspecError as error:
        raise ValueError(f"{error}, for {kind.__name__}") from error


def _check_known(read: dict[str, Any], kind: type) -> None:
    unknown = read.keys() - set(_fields(kind))
    if unknown:
        raise ValueError(f"{kind.__name__} has no field {sorted(unknown)[0]!r}, which the JSON has")


def _fields(kind: type) -> Iterator[str]:
    if attrs.has(kind):
        yield from (one.name for one in attrs.fields(kind))
    else:
        yield from getattr(kind, "__dataclass_fields__", {})


def resolve_annotations(kind: Any, seen: set[Any] | None = None) -> None:
    """Replace annotations of a class that are text by the types, also in the classes that they mention.

    Call it in the program for a class that functions read by ``object_of_json``: Python workers do not have the
    program's module, whose names the annotations mention.

    Args:
        kind: Class, or a generic type such as ``list[Order]``.
        seen: Types that are already done, for the recursion; leave it out.
    """
    seen = seen if seen is not None else set()
    if kind in seen:
        return
    seen.add(kind)
    for one in typing.get_args(kind):
        resolve_annotations(one, seen)
    if isinstance(kind, type) and any(_fields(kind)):
        for owner in kind.__mro__:
            _resolve_own(owner)
        for hint in _own_hints(kind):
            resolve_annotations(hint, seen)


def _own_hints(kind: type) -> list[Any]:
    return list(inspect.get_annotations(kind).values())


def _resolve_own(owner: type) -> None:
    annotations = inspect.get_annotations(owner)
    if any(isinstance(one, str) for one in annotations.values()):
        hints = typing.get_type_hints(owner, include_extras=True)
        owner.__annotations__ = {name: hints[name] for name in annotations}


@final
class JsonDeserializationSchema(DeserializationSchema[T]):
    """Objects from JSON, one per record.

    Differs from Flink: the class is one of Python, decorated with ``attrs.define`` or ``dataclass``.

    Args:
        type_class: Class of the elements.
        ignore_unknown: Whether fields that the class lacks are left out, as by Jackson's
            ``FAIL_ON_UNKNOWN_PROPERTIES`` set to false; they fail the job otherwise.

    Raises:
        DefinitionError: The class has no fields.
    """

    def __init__(self, type_class: type[T], *, ignore_unknown: bool = False) -> None:
        if not isinstance(type_class, type) or not any(_fields(type_class)):
            raise DefinitionError(
                f"{type_class!r} has no fields", now="Pass a class decorated with attrs.define or dataclass."
            )
        resolve_annotations(type_class)
        self._type_class = type_class
        self._ignore_unknown = ignore_unknown

    def deserialize(self, message: bytes) -> T:
        """Return the object of ``message``."""
        return object_of_json(message, self._type_class, ignore_unknown=self._ignore_unknown)


@final
class JsonSerializationSchema(SerializationSchema[Any]):
    """Objects as JSON: those of attrs classes and dataclasses, dicts, lists and plain values.

    Example:
        >>> JsonSerializationSchema().serialize({"id": 7, "item": None})
        b'{"id":7,"item":null}'
    """

    def serialize(self, element: Any) -> bytes:
        """Return the JSON of ``element``."""
        return msgspec.json.encode(element)
