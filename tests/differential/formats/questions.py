"""Messages and rows that are asked of Flink's formats, as ``FlinkFormats.java`` takes them."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

__all__ = ["hostile_questions", "questions"]

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

_NUMBERS = (
    *("1e999999999", "1e-999999999", "1e99999999999999999999", "1e-99999999999999999999", "-1e400", "0e9999999999"),
    *("1e2147483647", "1e2147483648", "9" * 1000, "9" * 1001, f"0.{'1' * 998}", f"0.{'1' * 999}", "9" * 5000, "1e308"),
    *("9223372036854775807", "9223372036854775808", "2147483648", "1e39", f"1e{'0' * 5000}1", "1.7976931348623159e308"),
)
_HOSTILE_JSON: tuple[str | bytes, ...] = (
    *(f'{{"x":{number}}}' for number in _NUMBERS),
    *(f'{{"x":"{number}"}}' for number in _NUMBERS),
    *(f'{{"y":{number},"x":1}}' for number in _NUMBERS),
    *(f'{{"x":{"[" * depth}{"]" * depth}}}' for depth in (498, 499, 999, 1000, 5000)),
    *(f'{{"y":{"[" * depth}{"]" * depth},"x":1}}' for depth in (498, 499, 999, 1000, 5000)),
    *(f'{{"y":{"[" * 5000}', '{"y":' * 5000, f'{{"x":1,"{"n" * 50_000}":1}}', f'{{"x":1,"{"n" * 50_001}":1}}'),
    *(
        '{"x":1,"x":2}',
        '{"x":1,"x":null}',
        '{"x":null,"x":1}',
        "null",
        "",
        " ",
        "true",
        '{"x":"9999999-01-01 00:00:00"}',
    ),
    *(
        '{"x":"\\ud800"}',
        '{"x":"\\udc00\\ud800"}',
        '{"x":"\\u0000"}',
        '{"x":"\0"}',
        '{"x":"\t"}',
        '{"x":1}\0',
        '\0{"x":1}',
    ),
    *('{"x":"a\u20ac"}'.encode(charset) for charset in ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32")),
    *('{"x":"a\u20ac"}'.encode(charset) for charset in ("utf-32-le", "utf-32-be")),
    *(
        b'{"x":"\xc0\xaf"}',
        b'{"x":"\xed\xa0\x80"}',
        b'{"x":"\xf4\x90\x80\x80"}',
        b'{"x":"\xe2\x82"}',
        b"\xff\xfe",
        b"\xef\xbb\xbf",
    ),
    *('\r{"x":1}\r', '{"x":\f1}', '{"x":\xa01}', '{"x":1,,}', "[" * 100_000, '{"x":"' + "a" * 100_000),
)
_HOSTILE_CSV: tuple[str | bytes, ...] = (
    *(f"{number},a" for number in _NUMBERS),
    *(
        '"1,a',
        '"1","a',
        '"1"x,a',
        '"1" ,a',
        '"1"\t,a',
        '1"2,a',
        "1,a,",
        "1,a,b",
        "1",
        "",
        "\n",
        "\r\n",
        "1,a\r2,b",
        "1,a\n2",
    ),
    *(
        "\ufeff1,a",
        "1,\0",
        "\0",
        '1,"a""b"',
        '1,""""',
        '1,"a\nb"',
        "NaN,a",
        "Infinity,a",
        "1,a\r",
        "1 ,a",
        " 1,a",
        "1,\r\n2",
    ),
    *("1,a".encode(charset) for charset in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be")),
    *(b"1,\xff", b"1,\xc0\xaf", b"1,\xed\xa0\x80", b"1,\xe2\x82", b"\xff\xfe", b"\xef\xbb\xbf", "1," * 1000),
    *('1,"' + "a" * 100_000, "1," + "a" * 100_000, '1,"' + '""' * 50_000 + '"', '1,"a"' + " " * 100_000 + "x"),
    *("1,a\r\r2,b", "\r1,a", "\n1,a", "1,\u2028", "1,\x85b", "1,\x0bb", "1,\x1cb"),
)
_TEXT_AFTER_JSON = (
    *('{"x":1}garbage', '{"x":1}}', '{"x":1} {"x":2}', '{"x":1}"', '{"x":{"y":1}}]', "[1]x", '"a"b'),
    *("5x", "5 x", "5,", "truex", "true x", "true,", "nullx", "null,"),
)
_HOSTILE_TYPES = ("INT", "LONG", "BIG_INT", "FLOAT", "DOUBLE", "BIG_DEC", "STRING", "SQL_TIMESTAMP")
_HOSTILE_COLUMNS = ("INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(10, 2)", "STRING", "TIMESTAMP(3)", "DATE")


def hostile_questions() -> Iterator[dict[str, Any]]:
    """Yield messages that no honest producer writes."""
    for ignore in (False, True):
        for message in _HOSTILE_JSON:
            asked = {"ignore": ignore, "data": _data(message)}
            yield from ({"ask": "row json read", "type": {"row": {"x": kind}}, **asked} for kind in _HOSTILE_TYPES)
            yield from ({"ask": "sql json read", "type": f"ROW<x {kind}>", **asked} for kind in _HOSTILE_COLUMNS)
        for message in _HOSTILE_CSV:
            asked = {"ignore": ignore, "data": _data(message), "null": ""}
            rows = ({"row": {"x": kind, "y": "STRING"}} for kind in _HOSTILE_TYPES)
            yield from ({"ask": "row csv read", "type": row, **asked} for row in rows)
            yield from (
                {"ask": "sql csv read", "type": f"ROW<x {kind}, y STRING>", **asked} for kind in _HOSTILE_COLUMNS
            )
    for message in (*(message for message in _HOSTILE_JSON if isinstance(message, str)), *_TEXT_AFTER_JSON):
        for name in ("JSON_VALUE", "JSON_QUERY", "JSON_EXISTS", "IS JSON"):
            yield {"ask": "json function", "name": name, "data": _data(message)}


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
