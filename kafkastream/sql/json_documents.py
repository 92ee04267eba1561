"""Parts of JSON documents, with the digits of numbers as they are written and keys in order, as Flink gives them."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any, Final, NoReturn

__all__ = ["json_part", "json_scalar", "json_texts"]

_STEP: Final = re.compile(r"\.([A-Za-z_]\w*)|\[(\d+)\]|\['([^']+)'\]")
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_ESCAPED: Final = re.compile(r'["\\\x00-\x1f]')


def json_scalar(text: str | None, path: str | None) -> str | None:
    """Return the text, number or truth value at a path as text; NULL for others, and if there is none (``JSON_VALUE``).

    Example:
        >>> json_scalar('{"a": 1.50}', "$.a"), json_scalar('{"a": [1]}', "$.a")
        ('1.50', None)
    """
    found = _found(text, path)
    return None if found is None or isinstance(found, dict | list) else _text(found)


def json_part(text: str | None, path: str | None) -> str | None:
    """Return the object or array at a path; NULL for a scalar, and if there is none (``JSON_QUERY``).

    Example:
        >>> json_part('{"z": {"y": 1.50, "b": [-0.0, 1e3]}}', "$.z")
        '{"b":[0.0,1E+3],"y":1.50}'
    """
    found = _found(text, path)
    return _text(found) if isinstance(found, dict | list) else None


def json_texts(text: str | None, path: str | None) -> list[str | None] | None:
    """Return the elements of the array at a path as texts; NULL if there is none (``RETURNING ARRAY<STRING>``).

    Example:
        >>> json_texts('{"a": [1.50, "x", null, [2]]}', "$.a")
        ['1.50', 'x', None, '[2]']
    """
    found = _found(text, path)
    return [None if one is None else _text(one) for one in found] if isinstance(found, list) else None


def _found(text: str | None, path: str | None) -> Any:
    if text is None or path is None:
        return None
    try:
        found = json.loads(text, parse_float=Decimal, parse_constant=_refused)
        for name, place, quoted in _STEP.findall(path):
            found = found[int(place)] if place and isinstance(found, list) else dict(found)[name or quoted]
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return found


def _refused(constant: str) -> NoReturn:
    raise ValueError(constant)


def _text(value: Any) -> str:
    """Return a value's text, in which halves of characters are question marks."""
    written = value if isinstance(value, str) else _written(value)
    return written.encode(errors="replace").decode()


def _written(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return f'"{_ESCAPED.sub(_escape, value)}"'
        case dict():
            return "{" + ",".join(f"{_written(key)}:{_written(value[key])}" for key in sorted(value)) + "}"
        case list():
            return f"[{','.join(map(_written, value))}]"
        case Decimal():
            return str(value if value else abs(value))
        case _:
            return str(value)


def _escape(found: re.Match[str]) -> str:
    sign = found[0]
    return _ESCAPES.get(sign) or f"\\u{ord(sign):04X}"
