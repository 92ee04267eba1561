"""Declared types and the Python values given for them, as source texts that mean the same on PyFlink and here."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

__all__ = ["CASES", "described", "names"]

_SCALARS = (
    "None, True, 0, 1, -1, 127, 128, -129, 40000, -40000, 2**31 - 1, 2**31, -(2**31) - 1, 2**63 - 1, 2**63, -(2**63) - 1, "
    "1.0, 1.1, -0.0, 2.7, 1e39, 1e-46, float('inf'), float('nan'), '', 'a', 'ab', '\\u00e9', '\\U0001f600', '1', b'', b'ab', "
    "bytearray(b'ab'), Decimal('1.10'), Decimal('1E+3'), Decimal('NaN'), date(2024, 2, 29), time(1, 2, 3, 456789), "
    "time(1, 2, 3, 456789, timezone.utc), datetime(2024, 2, 29, 1, 2, 3, 456789), datetime(1969, 12, 31, 23, 59, 59, 999999), "
    "datetime(1960, 1, 1, 0, 0, 0, 1500), datetime(2024, 2, 29, 1, 2, 3, 456789, timezone(timedelta(hours=2))), "
    "datetime(2040, 1, 1), date(1960, 1, 1), Instant(1, 5000000), Instant(1, 5), Instant(-1, 999999999), [], [1], (), (1,), "
    "{}, {'a': 1}, {1}, Row(), Row(1), object"
)
_ROWS = (
    "None, Row('a', 1), Row(w='a', n=1), Row(n=1, w='a'), Row(w='a'), Row(w='a', n=1, z=2), Row(f1=1, f0='a'), Row('a'), "
    "Row('a', 1, 2), Row(None, None), Row(w=None, n=None), Row(1, 'a'), Row('a', 1.0), Row('a', True), Row('a', 2**31), "
    "Row.of_kind(RowKind.DELETE, 'a', 1), Row.of_kind(RowKind.UPDATE_AFTER, w='a', n=1), "
    "('a', 1), ['a', 1], ('a',), ('a', 1, 2), ('a', None), (1, 'a'), {'w': 'a', 'n': 1}, {'n': 1}, {'w': 'a', 'n': 1, 'z': 2}, "
    "{}, (), 'ab', 1"
)
_FLOAT_ROWS = "Row(1.1), Row(1), Row(True), Row(None), Row('a'), (1.1,), [1]"
_LISTS = (
    "None, [], [1, 2], (1, 2), [None], [1, None], [True, 1.0], [1.1], ['a'], [2**31], [2**63], b'ab', bytearray(b'ab'), "
    "range(2), {1}, {1: 2}, 'ab', 1, [[1]], [(1,)], Row(1, 2)"
)
_MAPS = (
    "None, {}, {'a': 1}, {'a': None}, {None: 1}, {1: 1}, {'a': 'b'}, {'a': True}, {'a': 1.5}, {'b': 1, 'a': 2}, "
    "{'a': 2**31}, [('a', 1)], Row(a=1), 'ab', 1"
)
_NESTED = (
    "None, Row('a', [Row(1.1)], {'k': (1, 2.5)}), Row('a', [], {}), Row('a', None, None), Row('a', [None], {'k': None}), "
    "Row('a', [(1.1,)], {}), Row('a', [[1.1]], {}), Row('a', [Row(1)], {'k': [1, 2]}), Row('a', (Row(1),), {'k': Row(1, 2)})"
)
_PRIMITIVE = ("BOOLEAN", "BYTE", "SHORT", "INT", "LONG", "FLOAT", "DOUBLE", "CHAR")
_SCALAR_TYPES = (
    *("STRING", "BYTE", "BOOLEAN", "SHORT", "INT", "LONG", "FLOAT", "DOUBLE", "CHAR", "BIG_INT", "BIG_DEC", "INSTANT"),
    *("SQL_DATE", "SQL_TIME", "SQL_TIMESTAMP", "PICKLED_BYTE_ARRAY"),
)


def _split(texts: str) -> tuple[str, ...]:
    """The texts of values between commas that stand outside of all brackets."""
    found, depth, begin = [], 0, 0
    for place, sign in enumerate(texts):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and not depth:
            found.append(texts[begin:place].strip())
            begin = place + 1
    return (*found, texts[begin:].strip())


CASES: dict[str, tuple[str, ...]] = {
    **{f"Types.{name}()": _split(_SCALARS) for name in _SCALAR_TYPES},
    "Types.ROW([Types.STRING(), Types.INT()])": _split(_ROWS),
    "Types.ROW_NAMED(['w', 'n'], [Types.STRING(), Types.INT()])": _split(_ROWS),
    "Types.ROW([Types.FLOAT()])": _split(_FLOAT_ROWS),
    "Types.TUPLE([Types.STRING(), Types.INT()])": _split(_ROWS),
    "Types.TUPLE([Types.FLOAT()])": _split(_FLOAT_ROWS),
    "Types.LIST(Types.INT())": _split(_LISTS),
    "Types.LIST(Types.BYTE())": _split(_LISTS),
    "Types.LIST(Types.FLOAT())": _split(_LISTS),
    "Types.LIST(Types.LIST(Types.INT()))": _split(_LISTS),
    "Types.OBJECT_ARRAY(Types.INT())": _split(_LISTS),
    "Types.BASIC_ARRAY(Types.DOUBLE())": _split(_LISTS),
    **{f"Types.PRIMITIVE_ARRAY(Types.{name}())": _split(_LISTS) for name in _PRIMITIVE},
    "Types.MAP(Types.STRING(), Types.INT())": _split(_MAPS),
    "Types.MAP(Types.STRING(), Types.FLOAT())": _split(_MAPS),
    "Types.MAP(Types.INT(), Types.STRING())": _split(_MAPS),
    (
        "Types.ROW_NAMED(['s', 'l', 'm'], [Types.STRING(), Types.LIST(Types.ROW_NAMED(['x'], [Types.FLOAT()])), "
        "Types.MAP(Types.STRING(), Types.TUPLE([Types.INT(), Types.DOUBLE()]))])"
    ): _split(_NESTED),
}
"""The texts of the values, by the text of the type that is declared for them."""


def names(row: type, row_kind: type, instant: type, types: type) -> dict[str, Any]:
    """What the texts refer to, given an engine's own classes."""
    standard = {name: getattr(datetime, name) for name in ("date", "time", "datetime", "timedelta", "timezone")}
    return {**standard, "Decimal": decimal.Decimal, "Row": row, "RowKind": row_kind, "Instant": instant, "Types": types}


def described(value: Any) -> str:
    """A value with its types, in the same words on both engines."""
    kind = type(value).__name__
    if kind == "Row":
        return f"{value.get_row_kind()}Row({_inside(value)})"
    if isinstance(value, (list, tuple)):
        return f"{kind}({', '.join(map(described, value))})"
    if isinstance(value, dict):
        return f"{kind}({', '.join(f'{described(key)}: {described(value[key])}' for key in value)})"
    if kind == "Instant":
        return f"Instant({value.seconds}, {value.nanos})"
    return repr(value)


def _inside(row: Any) -> str:
    fields = getattr(row, "_fields", None)
    if fields is None:
        return ", ".join(map(described, row))
    return ", ".join(f"{name}={described(value)}" for name, value in zip(fields, row._values, strict=False))
