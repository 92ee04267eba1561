"""JSON text as Jackson reads it for Flink, to Python's plain values and back."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from typing import Any, NoReturn, TypeVar

from kafkastream.model.common.value_printing import java_double
from kafkastream.model.formats.java_text import bounded_decimal, bounded_whole
from kafkastream.options.records import DEEPEST

__all__ = [
    "as_text",
    "decoded_text",
    "deep_recursion",
    "json_parser",
    "json_text",
    "parse_nested",
    "quoted_json",
    "without_zeros",
]

_EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
_ESCAPED = re.compile(r'["\\\x00-\x1f\ud800-\udfff\U00010000-\U0010ffff]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}

_STRING_OR_BRACKET = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]', re.DOTALL)
_FRAMES_PER_LEVEL = 6
T = TypeVar("T")


def json_parser(*, decimals: bool) -> Callable[[bytes], Any]:
    """Return a function from bytes to dicts, lists, strings, booleans, None and numbers.

    As Jackson does for Flink, it takes the encodings that RFC 4627 allows, keeps the last of several equal keys, and
    ignores text after the first value. It raises ValueError for text that is not JSON.

    Args:
        decimals: Whether numbers with a point or an exponent become ``Decimal``, without zeros at their end, as in a
            row with a BIG_DEC in it; they become ``float`` otherwise.
    """
    number = without_zeros if decimals else float
    parse = json.JSONDecoder(parse_float=number, parse_int=bounded_whole, parse_constant=_not_json).raw_decode

    def node(message: bytes) -> Any:
        return parse_nested(parse, decoded_text(message).lstrip(" \t\r\n"))[0]

    return node


def decoded_text(message: bytes) -> str:
    """Return the text of a message in the encoding that Jackson detects: UTF-8, UTF-16 or UTF-32."""
    return message.decode(json.detect_encoding(message), "surrogatepass")


def parse_nested(parse: Callable[[str], T], text: str) -> T:
    """Parse JSON that may be nested as deep as Jackson reads it, which is deeper than Python's recursion limit allows.

    Args:
        parse: Parser that recurses for each level.
        text: JSON.

    Raises:
        ValueError: The JSON is nested deeper.
    """
    try:
        return parse(text)
    except RecursionError:
        if (depth := _depth(text)) > DEEPEST:
            raise ValueError(f"JSON is nested {depth} deep, more than {DEEPEST}") from None
    with deep_recursion():
        return parse(text)


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Raise Python's recursion limit within a ``with`` block, for a function that recurses for each level of JSON."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + DEEPEST * _FRAMES_PER_LEVEL)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def _depth(text: str) -> int:
    depth = deepest = 0
    for token in _STRING_OR_BRACKET.finditer(text):
        if token[0] in ("[", "{"):
            depth += 1
            deepest = max(deepest, depth)
        elif token[0] in ("]", "}"):
            depth -= 1
    return deepest


def _not_json(text: str) -> NoReturn:
    raise ValueError(f"{text} is not JSON")


def without_zeros(text: str) -> Decimal:
    """Return a number as Java's ``BigDecimal.stripTrailingZeros`` leaves it.

    Example:
        >>> without_zeros("1.10"), without_zeros("100.0")
        (Decimal('1.1'), Decimal('1E+2'))
    """
    return abs(number) if not (number := _EXACT.normalize(bounded_decimal(text))) else number


def as_text(node: Any) -> str:
    """Return the text of a value that is not a container; nothing for one (``JsonNode.asText``)."""
    if isinstance(node, str):
        return node
    if isinstance(node, float):
        return java_double(node)  # without the quotes that an infinite one has in JSON
    return "" if isinstance(node, (dict, list)) else json_text(node)


def json_text(node: Any) -> str:
    """Return a value as Jackson writes it: no blanks, Java's numbers, quotes around values that are not numbers.

    Raises:
        TypeError: JSON has no such value.

    Example:
        >>> json_text({"a": [1e10, None, True, "é"]})
        '{"a":[1.0E10,null,true,"é"]}'
    """
    for kind in type(node).__mro__:
        if kind in _WRITERS:
            return _WRITERS[kind](node)
    raise TypeError(f"JSON has no values of type {type(node).__name__}")


def quoted_json(text: str) -> str:
    """Return a string in quotes, as Jackson writes it in UTF-8: surrogates, and their replacements, as escapes."""
    return f'"{_ESCAPED.sub(_escape, text)}"' if _ESCAPED.search(text) else f'"{text}"'


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    if character in _SHORT:
        return _SHORT[character]
    units = character.encode("utf-16-be", "surrogatepass").hex().upper()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))


def _object(node: Mapping[str, Any]) -> str:
    return "{" + ",".join(f"{_name(key)}:{json_text(value)}" for key, value in node.items()) + "}"


def _name(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"the names in a JSON object are text, this one is of type {type(key).__name__}")
    return quoted_json(key)


def _array(node: Iterable[Any]) -> str:
    return f"[{','.join(map(json_text, node))}]"


def _decimal(node: Decimal) -> str:
    if not node.is_finite():
        raise ValueError(f"{node} is not a number that JSON can represent")
    return str(node)


def _double(node: float) -> str:
    return java_double(node) if math.isfinite(node) else f'"{java_double(node)}"'


_WRITERS: Mapping[type, Callable[[Any], str]] = {
    type(None): lambda _: "null",
    bool: lambda node: "true" if node else "false",
    int: int.__repr__,
    float: _double,
    Decimal: _decimal,
    str: quoted_json,
    list: _array,
    tuple: _array,
    dict: _object,
}
