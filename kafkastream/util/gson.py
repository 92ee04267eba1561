"""``Gson``: JSON as Google's library of this name reads and writes it, for programs made by ``kafkastream port``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, Final, TypeVar, final

import attrs

from kafkastream.model.formats.json_objects import object_of_json
from kafkastream.util.java_values import java_text

__all__ = ["Gson"]

T = TypeVar("T")

_ALWAYS: Final = {"\u2028": "\\u2028", "\u2029": "\\u2029"}
_HTML: Final = {one: f"\\u{ord(one):04x}" for one in "<>&='"}


@final
@attrs.frozen
class Gson:
    r"""Reads objects of attrs classes from JSON, without fields that the class lacks, and writes them.

    Differs from Java's: times are refused, as they have no JSON that is defined.

    Args:
        escapes_html: Whether ``<``, ``>``, ``&``, ``=`` and ``'`` are written as ``\u003c`` and so on.
        writes_nulls: Whether fields without a value are written.

    Example:
        >>> Gson().to_json({"a<b": 1.0, "c": None})
        '{"a\\u003cb":1.0}'
    """

    escapes_html: bool = True
    writes_nulls: bool = False

    def from_json(self, text: str | bytes | None, kind: type[T]) -> T | None:
        """Return the object of a JSON text; None for an empty one.

        Args:
            text: JSON; None gives None.
            kind: Class of the object.

        Raises:
            ValueError: The JSON is not valid, or not of the class.
        """
        return object_of_json(text, kind, ignore_unknown=True) if text else None

    fromJson = from_json

    def to_json(self, value: object) -> str:
        """Return the JSON of a value.

        Raises:
            ValueError: A number is not finite.
            TypeError: A value has no JSON.
        """
        return "".join(self._parts(value))

    toJson = to_json

    def _parts(self, value: object) -> Iterator[str]:
        if isinstance(value, Enum):
            yield self._text(value.name)
        elif isinstance(value, Mapping):
            yield from self._object({java_text(key): one for key, one in value.items()})
        elif attrs.has(type(value)):
            fields: Any = attrs.fields(type(value))  # type: ignore[arg-type]  # a class that has fields
            yield from self._object({one.name: getattr(value, one.name) for one in fields})
        elif isinstance(value, list | tuple | set | frozenset):
            for place, one in enumerate(value):
                yield "," if place else "["
                yield from self._parts(one)
            yield "]" if value else "[]"
        else:
            yield self._plain(value)

    def _object(self, fields: Mapping[str, Any]) -> Iterator[str]:
        kept = {name: one for name, one in fields.items() if one is not None or self.writes_nulls}
        for place, (name, one) in enumerate(kept.items()):
            yield f"{',' if place else '{'}{self._text(name)}:"
            yield from self._parts(one)
        yield "}" if kept else "{}"

    def _plain(self, value: object) -> str:
        if isinstance(value, str):
            return self._text(value)
        if value is not None and not isinstance(value, bool | int | float):
            raise TypeError(f"{type(value).__name__} has no JSON by Gson")
        text = java_text(value)
        if text in ("NaN", "Infinity", "-Infinity"):
            raise ValueError(f"{text} has no JSON by Gson")
        return text

    def _text(self, value: str) -> str:
        escapes = {**_ALWAYS, **(_HTML if self.escapes_html else {})}
        return "".join(escapes.get(one, one) for one in json.dumps(value, ensure_ascii=False))
