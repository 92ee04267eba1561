"""Messages and rows that are asked of Flink's formats, as ``FlinkFormats.java`` takes them."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

__all__ = ["questions"]

_LOOSE_JSON: tuple[str | bytes, ...] = (
    *("{'x':14}", '{"x":NaN}', '{"x":Infinity}', '{"x":-Infinity}', '{"x":+1}', '{"x":.5}', '{"x":5.}', '{"x":01}'),
    *('{"x":0x10}', '{"x":1,}', "{x:1}", '/* c */{"x":1}', '{"x":1}//c', '{"x":1} {"x":2}', '{"x":1}garbage'),
    *('[{"x":1},{"x":2}]', '{"x":1', '{"x":tru}', '{"x":TRUE}', '{"x":None}', '{"x":"1"}', '{"x":1;"y":2}'),
    *('{"y":\'a\',"x":3}', '{"x":3,"y":NaN}', '{"y":+1,"x":3}', '{"y":01,"x":3}', '{"x":INF}', '{"x":nan}'),
    *('{"x":"NaN"}', '{"x":"Infinity"}', '{"x":"-INF"}', '{"x":"+INF"}', '{"x":null}', "5", '"a"', "[]", '{"x":-}'),
    *(
        b'{"x":1,"s":"\xff"}',
        b'{"x":"\xc3("}',
        '   {"x":1}',
        '{"x":1}\n',
        '{"x":1}}',
        '{"x" 1}',
        '{"x":1 "y":2}',
        '{"x":"a\\qb"}',
        '# c\n{"x":1}',
    ),
)
_CSV_LINES = ("NULL,z", ",z", "1;NULL,z", "NULL;a,z", "NULL;NULL,z", ";,z", ";a,z", "1;,z", "1;b,NULL")
_DECIMALS = {
    "DECIMAL(10, 2)": ("1.50", "100000", "0", "-0.01", "-100", "12345678.9", "null"),
    "DECIMAL(10, 0)": ("100", "0", "-5", "9999999999"),
    "DECIMAL(38, 18)": ("0.00000012", "1", "123.456", "0", "-0.000000000000000001"),
    "ARRAY<DECIMAL(10, 2)>": ("[1.50,100,null]",),
    "ROW<a DECIMAL(10, 2), b DOUBLE>": ('{"a":100,"b":1e10}', '{"a":null,"b":null}'),
    "DOUBLE": ("1.5", "1e10", "0.0001", "100", "1e7", "123456789.125"),
}


def questions() -> Iterator[dict[str, Any]]:
    """Yield what is asked."""
    for ignore in (False, True):
        for message in _LOOSE_JSON:
            for kind in ("DOUBLE", "STRING", "INT"):
                yield {"ask": "row json read", "type": {"row": {"x": kind}}, "ignore": ignore, "data": _data(message)}
                yield {"ask": "sql json read", "type": f"ROW<x {kind}>", "ignore": ignore, "data": _data(message)}
        for null in ("NULL", ""):
            for line in _CSV_LINES:
                asked = {"ignore": ignore, "null": null, "data": _data(line)}
                for kind in ("ARRAY<INT>", "ARRAY<STRING>", "ROW<a INT, b STRING>", "INT", "STRING"):
                    yield {"ask": "sql csv read", "type": f"ROW<x {kind}, y STRING>", **asked}
                for of_row in ({"array": "INT"}, {"array": "STRING"}, {"row": {"a": "INT", "b": "STRING"}}, "INT"):
                    yield {"ask": "row csv read", "type": {"row": {"x": of_row, "y": "STRING"}}, **asked}
    for kind, values in _DECIMALS.items():
        for value in values:
            asked = {
                "ask": "sql csv write",
                "type": f"ROW<x {kind}, y STRING>",
                "data": _data(f'{{"x":{value},"y":"a"}}'),
            }
            yield from ({**asked, **option} for option in ({}, {"scientific": True}, {"scientific": False}))


def _data(message: str | bytes) -> str:
    return base64.b64encode(message.encode() if isinstance(message, str) else message).decode()
