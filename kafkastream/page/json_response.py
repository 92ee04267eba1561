"""Answers in JSON that any parser reads, whatever names, texts and numbers a job has."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Set
from typing import Final

from starlette.responses import JSONResponse

from kafkastream.metrics.shown_text import number_text

__all__ = ["JsonResponse", "json_text"]

_LEVELS: Final = 20
"""Values nested deeper are shown as text; the documents of the page have eight levels."""
_CHARACTERS: Final = 1_000
"""Maximum length of the text of an object that JSON has no type for."""
_LARGEST: Final = 2**63
"""Larger numbers are texts, since parsers with types read whole numbers as Java's long."""


class JsonResponse(JSONResponse):
    """Answer in JSON."""

    def render(self, content: object) -> bytes:
        """Return the body."""
        return json_text(content).encode()


def json_text(content: object) -> str:
    r"""Return strict JSON of any value.

    NaN and infinities become the texts that Java has for them, halves of surrogate pairs the replacement character, and
    values that JSON has no type for their texts.

    Example:
        >>> print(json_text({"gauge": float("nan"), "counter": -(10**5000), "name": "\ud800", b"key": {1}}))
        {"gauge":"NaN","counter":"about -1.00e+5000","name":"�","b'key'":[1]}
    """
    try:
        text = _encoder.encode(content)
        text.encode()  # fails for halves of surrogate pairs
    except (TypeError, ValueError, RecursionError):
        return _encoder.encode(_plain(content, ()))
    return text


_encoder: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _plain(value: object, outer: tuple[int, ...]) -> object:
    """Return a value of JSON's types.

    Args:
        value: Value.
        outer: Identities of the values around it.
    """
    if len(outer) > _LEVELS or id(value) in outer:
        return _text_of(value)
    around = (*outer, id(value))
    match value:
        case None | bool():
            return value
        case str():
            return _encodable(value)
        case int():
            return int(value) if -_LARGEST <= value < _LARGEST else number_text(value)
        case float():
            return float(value) if math.isfinite(value) else number_text(value)
        case Mapping():
            return {_text_of(key): _plain(element, around) for key, element in value.items()}
        case list() | tuple() | Set():
            return [_plain(element, around) for element in value]
        case _:
            return _text_of(value)


def _text_of(value: object) -> str:
    try:
        return _encodable(value if isinstance(value, str) else str(value)[:_CHARACTERS])
    except Exception as error:  # noqa: BLE001 - of a program's own __str__
        return f"{type(value).__name__} without a text: {type(error).__name__}"


def _encodable(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
