"""JSON of objects: records become objects of attrs classes or dataclasses, as Jackson makes Java's of them."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, TypeVar, final

import attrs
import msgspec

from kafkastream.errors import DefinitionError
from kafkastream.model.formats.schema import DeserializationSchema, SerializationSchema, non_null

__all__ = ["JsonDeserializationSchema", "JsonSerializationSchema", "object_of_json", "resolve_annotations"]

T = TypeVar("T")

_NOTE: Final = "__msgspec_cache__"


def object_of_json(text: str | bytes, kind: type[T], *, ignore_unknown: bool = False) -> T:
    """Read an object from JSON, whose fields are those of the class.

    As by Jackson, text such as ``"5"`` is taken for a number where the class has a number, and ``null`` leaves a field
    that has a default at it.

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
    of_class: Any = kind
    decoder = _decoder(of_class)
    try:
        if not ignore_unknown:
            _check_known(msgspec.json.decode(text), kind)
        made: T = _decoded(text, decoder)
    except msgspec.MsgspecError as error:
        raise ValueError(f"{error}, for {kind.__name__}") from error
    return made


@lru_cache(maxsize=256)
def _decoder(kind: type[Any]) -> msgspec.json.Decoder[Any]:
    """Make the decoder of a class, which pickle can still send to workers: what msgspec notes in the class is removed."""
    seen: set[Any] = set()
    resolve_annotations(kind, seen)
    decoder = msgspec.json.Decoder(kind, strict=False)
    for one in seen:
        if isinstance(one, type) and _NOTE in vars(one):
            delattr(one, _NOTE)
    return decoder


def _decoded(text: str | bytes, decoder: msgspec.json.Decoder[Any]) -> Any:
    """Make an object; ``null`` means the default of a field whose type has no None, as where Java's is a reference."""
    try:
        return decoder.decode(text)
    except msgspec.ValidationError:
        read = msgspec.json.decode(text)
        kept = _without_nulls(read)
        if kept == read:
            raise
        return decoder.decode(msgspec.json.encode(kept))


def _without_nulls(read: Any) -> Any:
    if isinstance(read, list):
        return [_without_nulls(one) for one in read]
    if isinstance(read, dict):
        return {name: _without_nulls(one) for name, one in read.items() if one is not None}
    return read


def _check_known(read: Any, kind: type) -> None:
    unknown = read.keys() - set(_fields(kind)) if isinstance(read, dict) else ()
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

    def deserialize(self, message: bytes | None) -> T:
        """Return the object of ``message``."""
        return object_of_json(non_null(message), self._type_class, ignore_unknown=self._ignore_unknown)


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
