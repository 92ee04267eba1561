"""Functions that make JSON: ``JSON_OBJECT``, ``JSON_ARRAY``, ``JSON_STRING``, and those that quote texts or check them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from kafkastream.sql.plan.expression import Call, TypedExpression, is_null
from kafkastream.sql.plan.functions.bound_arguments import bound_text, read_by_name
from kafkastream.sql.plan.functions.built_in import (
    Arguments,
    BuiltInFunction,
    CallError,
    never_null,
    returns,
)
from kafkastream.sql.plan.functions.json_texts import check_json, json_text, name_text
from kafkastream.sql.plan.functions.written_values import written_text
from kafkastream.sql.plan.spark_type_names import quoted_text
from kafkastream.sql.type_families import TEXT
from kafkastream.sql.types import DataType, Kind

__all__ = ["JSON_CONSTRUCTORS", "JSON_KINDS", "RAW_JSON", "is_json"]

RAW_JSON: Final = "$JSON"
"""Function ``JSON(text)``, which is only for values inside of ``JSON_OBJECT`` and ``JSON_ARRAY``."""
_STRING: Final = DataType.string()
_MANY: Final = 2**31


def _pairs(arguments: Arguments) -> Arguments:
    """Sort the pairs by key, of which the last of the same name counts, as in Flink."""
    if len(arguments) % 2:
        raise CallError("JSON_OBJECT takes a value for each key.", "Write JSON_OBJECT('key' VALUE value).")
    found: dict[str, tuple[TypedExpression, TypedExpression]] = {}
    for at in range(0, len(arguments), 2):
        key, value = arguments[at : at + 2]
        name = written_text(key)
        if name is None:
            raise CallError.unsupported("JSON_OBJECT takes keys that are written out here.", "Write a text.", at)
        found[name] = key, value
    _values([pair[1] for pair in found.values()])
    names = sorted(found, key=lambda name: name.encode("utf-16-be"))
    return [part for name in names for part in found[name]]


def _values(arguments: Arguments) -> Arguments:
    for at, one in enumerate(arguments):
        if is_null(one):
            raise CallError("An untyped NULL has no JSON.", "CAST it to a type.", argument=at)
        check_json(one.type, at)
    return arguments


def _value_text(value: TypedExpression, text: str) -> str:
    """Return the Spark SQL of a value inside of other JSON."""
    return text if is_json(value) else json_text(value.type, text)


def is_json(value: TypedExpression) -> bool:
    """Return whether a function makes JSON, which is inserted into other JSON as it is, not as a string."""
    return isinstance(value, Call) and value.function.split(" ")[0] in ("JSON_OBJECT", "JSON_ARRAY", RAW_JSON)


def _object(*, absent: bool) -> BuiltInFunction:
    def written(call: Call, texts: Sequence[str]) -> str:
        def body(names: Sequence[str]) -> str:
            keys = call.arguments[::2]
            parts = [_value_text(value, name) for value, name in zip(call.arguments[1::2], names, strict=True)]
            return _members(keys, parts, absent=absent)

        return read_by_name(texts[1::2], body, "j") if texts else "'{}'"

    return BuiltInFunction(never_null(_STRING), written, (0, _MANY), prepare=_pairs)


def _members(keys: Sequence[TypedExpression], parts: Sequence[str], *, absent: bool) -> str:
    """Return an object; array_join skips NULLs."""
    values = [part if absent else f"coalesce({part}, 'null')" for part in parts]
    pairs = [f"concat({name_text(written_text(key) or '')}, {value})" for key, value in zip(keys, values, strict=True)]
    return f"concat('{{', array_join(array({', '.join(pairs)}), ','), '}}')"


def _array(*, absent: bool) -> BuiltInFunction:
    def written(call: Call, texts: Sequence[str]) -> str:
        def body(names: Sequence[str]) -> str:
            parts = [_value_text(value, name) for value, name in zip(call.arguments, names, strict=True)]
            values = [part if absent else f"coalesce({part}, 'null')" for part in parts]
            return f"concat('[', array_join(array({', '.join(values)}), ','), ']')"

        return read_by_name(texts, body, "j") if texts else "'[]'"

    return BuiltInFunction(never_null(_STRING), written, (0, _MANY), prepare=_values)


def _raw(arguments: Arguments) -> Arguments:
    text = written_text(arguments[0])
    if text is None:
        raise CallError.unsupported("JSON takes a text that is written out here.", "Use JSON_QUERY instead.", 0)
    try:
        json.loads(text or "null")
    except ValueError:
        raise CallError(f"{text} is not JSON.", "Write a JSON value.", argument=0) from None
    return arguments


def _raw_text(call: Call, _: Sequence[str]) -> str:
    text = written_text(call.arguments[0]) or "null"
    return quoted_text(_compact(json.loads(text, parse_float=Decimal)))


def _compact(value: Any) -> str:
    """Return JSON with its keys in order, and the digits of numbers as Java's BigDecimal writes them."""
    match value:
        case Decimal():
            return str(abs(value) if value == 0 else value)
        case dict():
            keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
            return "{" + ",".join(f"{_compact(key)}:{_compact(value[key])}" for key in keys) + "}"
        case list():
            return "[" + ",".join(map(_compact, value)) + "]"
        case _:
            return json.dumps(value, ensure_ascii=False)


_ESCAPES: Final = (
    *((rf"\{letter}", rf"\\\{letter}") for letter in "\\"),
    *(
        ('"', '\\\\"'),
        ("/", "\\\\/"),
        (r"\b", r"\\b"),
        (r"\f", r"\\f"),
        (r"\n", r"\\n"),
        (r"\r", r"\\r"),
        (r"\t", r"\\t"),
    ),
)


def _escaped(text: str) -> str:
    for plain, escape in _ESCAPES:
        text = f"replace({text}, {_letter(plain)}, '{escape}')"
    return text


def _letter(plain: str) -> str:
    return "chr(12)" if plain == r"\f" else "chr(8)" if plain == r"\b" else f"'{plain}'"


_CODE: Final = "lower(if(ascii(c) > 65535, hex(ascii(c)), lpad(hex(ascii(c)), 4, '0')))"
_LOW: Final = "if(ascii(c) > 65535, concat('\\\\u', lower(hex(56320 + ascii(c) % 1024))), '')"
_QUOTED: Final = f"array_join(transform(regexp_extract_all({{0}}, '(?s).', 0), c -> if(ascii(c) < 128, c, concat('\\\\u', {_CODE}, {_LOW}))), '')"


def _quote(_: Call, texts: Sequence[str]) -> str:
    """Return JSON_QUOTE, which writes letters beyond ASCII by their code, and repeats half of one beyond the BMP."""
    return f"concat('\"', {_QUOTED.format(_escaped(texts[0]))}, '\"')"


_ESCAPED: Final = quoted_text(r'\\(["\\/bfnrt]|u[0-9a-fA-F]{4})')
_PLAIN: Final = quoted_text(r'^"[^"\\\x00-\x1f]*"$')
_UNQUOTED: Final = (
    f"if(length({{0}}) > 1 and regexp_replace({{0}}, {_ESCAPED}, '') rlike {_PLAIN}, "
    "get_json_object(concat('[', {0}, ']'), '$[0]'), {0})"
)


def _unquote(_: Call, texts: Sequence[str]) -> str:
    return bound_text(_UNQUOTED, texts)


_VALID: Final = r"coalesce(get_json_object({0}, '$') is not null or {0} rlike '^[ \\t\\r\\n]*null\\b', false)"
_START: Final = r"substring(trim(LEADING ' \t\r\n' FROM {0}), 1, 1)"
JSON_KINDS: Final[Mapping[str, str]] = {
    "VALUE": _VALID,
    "OBJECT": f"({_VALID} and {_START} = '{{')",
    "ARRAY": f"({_VALID} and {_START} = '[')",
    "SCALAR": f"({_VALID} and {_START} not in ('{{', '['))",
}
"""Conditions of ``IS JSON``, by kind."""


def _is_json(kind: str) -> BuiltInFunction:
    def written(_: Call, texts: Sequence[str]) -> str:
        return bound_text(JSON_KINDS[kind], texts)

    return BuiltInFunction(never_null(DataType.of(Kind.BOOLEAN)), written, (1, 1), (TEXT,))


JSON_CONSTRUCTORS: Final[Mapping[str, BuiltInFunction]] = {
    "JSON_STRING": BuiltInFunction(
        returns(_STRING),
        lambda call, texts: read_by_name(texts, lambda names: json_text(call.arguments[0].type, names[0]), "j"),
        (1, 1),
        prepare=_values,
    ),
    "JSON_QUOTE": BuiltInFunction(returns(_STRING), _quote, (1, 1), (TEXT,)),
    "JSON_UNQUOTE": BuiltInFunction(returns(_STRING), _unquote, (1, 1), (TEXT,)),
    "JSON_OBJECT": _object(absent=False),
    "JSON_OBJECT ABSENT": _object(absent=True),
    "JSON_ARRAY": _array(absent=True),
    "JSON_ARRAY NULL": _array(absent=False),
    RAW_JSON: BuiltInFunction(never_null(_STRING), _raw_text, (1, 1), (TEXT,), _raw),
    **{f"IS JSON {kind}": _is_json(kind) for kind in JSON_KINDS},
}
"""Functions by name, which includes the clause about NULL and the kind of JSON."""
