"""One text for a value, on both engines."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

__all__ = ["shown_map", "shown_plain", "shown_row", "shown_time"]

_TIME = re.compile(
    r"(?P<day>[+-]?\d+-\d\d-\d\d)?T?(?P<clock>\d\d:\d\d)?(?::(?P<second>\d\d)(?:\.(?P<rest>\d+))?)?(?P<zone>Z?)"
)


def shown_plain(value: Any, *, inside: bool) -> str:
    """A value that Python has itself; texts inside of others have quotes."""
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).upper()
        case str():
            return json.dumps(value, ensure_ascii=False) if inside else value
        case bytes() | bytearray():
            return f"x'{bytes(value).hex()}'"
        case Decimal():
            return f"{value:f}"
        case _:
            return repr(value)


def shown_time(text: str) -> str:
    """A date, a time or both as Java or NumPy write them, without zeros at the end."""
    found = _TIME.fullmatch(text)
    if found is None:
        return text
    rest = (found["rest"] or "").rstrip("0")
    clock = f"{found['clock']}:{found['second'] or '00'}" + (f".{rest}" if rest else "") if found["clock"] else ""
    return " ".join(filter(None, (found["day"], clock))) + found["zone"]


def shown_row(parts: list[str], brackets: str) -> str:
    """Elements of an array or fields of a row."""
    return f"{brackets[0]}{', '.join(parts)}{brackets[1]}"


def shown_map(parts: list[tuple[str, str]]) -> str:
    """Entries of a map, sorted."""
    return "{" + ", ".join(f"{key}: {value}" for key, value in sorted(parts)) + "}"
