"""Parts of JSON documents, with the digits of numbers as they are written and keys in order, as Flink gives them."""

from __future__ import annotations

import json
import re
from decimal import Decimal, InvalidOperation
from typing import Any, Final, NoReturn

from kafkastream.model.formats.java_text import count_digits
from kafkastream.model.formats.json_nodes import deep_recursion, parse_nested
from kafkastream.options.records import MAX_DIGITS

__all__ = ["json_part", "json_part_told", "json_scalar", "json_scalar_told", "json_texts", "json_texts_wrapped"]

_STEP: Final = re.compile(r"\.([A-Za-z_]\w*)|\[(\d+)\]|\['([^']+)'\]")
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_MISSING: Final = (ValueError, LookupError, TypeError)
"""Errors for a text that is not JSON, and for a path to nothing."""
_EXPONENTS: Final = range(-(2**31) + 1, 2**31)
_ESCAPED: Final = re.compile(r'["\\\x00-\x1f]')
_BLANKS: Final = " \t\r\n"
_MORE_OF_NUMBER: Final = re.compile(r"[^ \t\r\n]")
_MORE_OF_WORD: Final = re.compile(r"[\w$]")


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


def json_scalar_told(text: str | None, path: str | None, mode: str | None) -> str | None:
    """Return ``v`` and the value that ``json_scalar`` gives, ``e`` for none, ``x`` for an error; NULL for NULL.

    Args:
        text: Document.
        path: Path without its mode.
        mode: ``lax`` or ``strict``, and behind it the kind of value that is wanted: ``INT``, ``DOUBLE`` or ``BOOLEAN``.

    Example:
        >>> json_scalar_told('{"a": 1.50}', "$.a", "lax"), json_scalar_told('{"a": 1.50}', "$.b", "lax")
        ('v1.50', 'e')
        >>> json_scalar_told('{"a": 1.50}', "$.a", "strict INT"), json_scalar_told('{"a": 1.50}', "$.b", "strict")
        ('!1.50', 'x')
    """
    if text is None or path is None:
        return None
    is_lax, kind = str(mode).startswith("lax"), str(mode).partition(" ")[2]
    missing = "e" if is_lax else "x"
    try:
        document = _parsed(text)
        if document is None:
            return "x"
        found = _at(document, path)
    except _MISSING:
        return missing
    if found is None or isinstance(found, dict | list):
        return missing
    return f"{'v' if _is_kind(found, kind) else '!'}{_text(found)}"


def _is_kind(value: Any, kind: str) -> bool:
    """Return whether a JSON value is returned as this type; Flink does not cast it."""
    match kind:
        case "INT":
            return isinstance(value, int) and not isinstance(value, bool) and -(2**31) <= value < 2**31
        case "DOUBLE":
            return isinstance(value, Decimal)
        case "BOOLEAN":
            return isinstance(value, bool)
        case _:
            return True


def json_part_told(text: str | None, path: str | None, mode: str | None) -> str | None:
    """Return ``v`` and an object or array, ``e`` for none, ``x`` for an error; NULL for NULL.

    Args:
        text: Document.
        path: Path without its mode.
        mode: ``lax`` or ``strict``, and the wrapper: ``WITHOUT``, ``CONDITIONAL`` or ``UNCONDITIONAL``.

    Example:
        >>> json_part_told('{"a": 1.50}', "$.a", "strict CONDITIONAL"), json_part_told("{}", "$.a", "lax WITHOUT")
        ('v[1.50]', 'e')
    """
    if text is None or path is None:
        return None
    lax, wrapper = str(mode).split(" ")
    missing = "e" if lax == "lax" else "x"
    try:
        found = _at(_parsed(text), path)
    except _MISSING:
        return missing
    if found is None:
        return "e"
    wrapped = _wrapped(found, wrapper)
    return f"v{_text(wrapped)}" if isinstance(wrapped, dict | list) else missing


def json_texts_wrapped(text: str | None, path: str | None, wrapper: str | None) -> list[str | None] | None:
    """Return the elements of a value that is wrapped into an array, as texts.

    Example:
        >>> json_texts_wrapped('{"a": {"b": 1}}', "$.a", "UNCONDITIONAL")
        ['{"b":1}']
    """
    found = _found(text, path)
    wrapped = None if found is None else _wrapped(found, str(wrapper))
    return [None if one is None else _text(one) for one in wrapped] if isinstance(wrapped, list) else None


def _wrapped(value: Any, wrapper: str) -> Any:
    return (
        [value] if wrapper == "UNCONDITIONAL" or (wrapper == "CONDITIONAL" and not isinstance(value, list)) else value
    )


def _found(text: str | None, path: str | None) -> Any:
    if text is None or path is None:
        return None
    try:
        return _at(_parsed(text), path)
    except _MISSING:
        return None


def _parsed(text: str) -> Any:
    """Return the first value of a text; what follows it is ignored, as by Jackson.

    Only a number or a word has to end there:
    https://github.com/FasterXML/jackson-core/blob/jackson-core-2.18.2/src/main/java/com/fasterxml/jackson/core/json/ReaderBasedJsonParser.java
    (``_verifyRootSpace``, ``_checkMatchEnd``).
    """
    text = text.lstrip(_BLANKS)
    value, end = parse_nested(_parse, text)
    goes_on = _MORE_OF_WORD if value is None or isinstance(value, bool) else _MORE_OF_NUMBER
    if not isinstance(value, str | dict | list) and goes_on.match(text, end):
        raise ValueError(f"{text[:100]} is not JSON")
    return value


def _number(text: str) -> Decimal:
    """Read a number with Jackson's limit of digits, and the 32 bits of a scale of Java's BigDecimal."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise ValueError(f"the exponent of {text[:100]} is out of range") from None
    exponent = number.as_tuple().exponent
    if count_digits(text) > MAX_DIGITS.default or exponent not in _EXPONENTS:
        raise ValueError(f"{text[:100]} has too many digits")
    return number


def _whole(text: str) -> int:
    """Read a whole number with Jackson's limit of digits, which is not the job's."""
    if count_digits(text) > MAX_DIGITS.default:
        raise ValueError(f"{text[:100]} has too many digits")
    return int(text)


def _at(document: Any, path: str) -> Any:
    found = document
    for name, place, quoted in _STEP.findall(path):
        found = found[int(place)] if place and isinstance(found, list) else dict(found)[name or quoted]
    return found


def _refused(constant: str) -> NoReturn:
    raise ValueError(constant)


_parse: Final = json.JSONDecoder(parse_float=_number, parse_int=_whole, parse_constant=_refused).raw_decode


def _text(value: Any) -> str:
    """Return a value's text, in which halves of characters are question marks."""
    try:
        written = value if isinstance(value, str) else _written(value)
    except RecursionError:
        with deep_recursion():
            written = _written(value)
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
