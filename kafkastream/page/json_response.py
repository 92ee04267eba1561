"""JSON responses that every parser accepts, whatever names, texts and numbers a job has."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Set
from typing import Final

from starlette.responses import JSONResponse

from kafkastream.metrics.shown_text import number_text

__all__ = ["JsonResponse", "json_text"]

_MAX_DEPTH: Final = 20
"""Values nested deeper become strings; the documents of the page have eight levels."""
_MAX_CHARACTERS: Final = 1_000
"""Maximum length of the text of an object that JSON has no type for."""
_LONG_LIMIT: Final = 2**63
"""Larger numbers become strings, since typed parsers read integers as Java's ``long``."""


class JsonResponse(JSONResponse):
    """Response with strict JSON."""

    def render(self, content: object) -> bytes:
        """Return the body."""
        return json_text(content).encode()


def json_text(content: object) -> str:
    r"""Return any value as strict JSON.

    NaN and infinities become strings in Java's spelling, lone surrogates the replacement character, and objects that
    JSON has no type for their ``str``.

    Example:
        >>> print(json_text({"gauge": float("nan"), "counter": -(10**5000), "name": "\ud800", b"key": {1}}))
        {"gauge":"NaN","counter":"about -1.00e+5000","name":"�","b'key'":[1]}
    """
    try:
        text = _encoder.encode(content)
        text.encode()  # fails for halves of surrogate pairs
    except (TypeError, ValueError, RecursionError):
        return _encoder.encode(_to_json_types(content, ()))
    return text


_encoder: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _to_json_types(value: object, outer: tuple[int, ...]) -> object:
    """Convert a value to types that JSON has.

    Args:
        value: Value.
        outer: Ids of the values that contain it, to detect cycles.
    """
    if len(outer) > _MAX_DEPTH or id(value) in outer:
        return _safe_text(value)
    ancestors = (*outer, id(value))
    match value:
        case None | bool():
            return value
        case str():
            return _replace_surrogates(value)
        case int():
            return int(value) if -_LONG_LIMIT <= value < _LONG_LIMIT else number_text(value)
        case float():
            return float(value) if math.isfinite(value) else number_text(value)
        case Mapping():
            return {_safe_text(key): _to_json_types(element, ancestors) for key, element in value.items()}
        case list() | tuple() | Set():
            return [_to_json_types(element, ancestors) for element in value]
        case _:
            return _safe_text(value)


def _safe_text(value: object) -> str:
    try:
        return _replace_surrogates(value if isinstance(value, str) else str(value)[:_MAX_CHARACTERS])
    except Exception as error:  # noqa: BLE001 - of a program's own __str__
        return f"{type(value).__name__} without a text: {type(error).__name__}"


def _replace_surrogates(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
