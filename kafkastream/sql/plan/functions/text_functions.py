"""Functions of texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kafkastream.sql.plan.expression import Call
from kafkastream.sql.plan.functions.bound_arguments import bound_text
from kafkastream.sql.plan.functions.built_in import (
    Arguments,
    BuiltInFunction,
    Infer,
    always_nullable,
    forms,
    never_null,
    returns,
)
from kafkastream.sql.plan.functions.written_values import whole_number, written_text
from kafkastream.sql.type_families import ATOMIC, BYTES, NUMERIC, TEXT
from kafkastream.sql.types import DataType, Kind

__all__ = ["TEXTS"]

_STRING: Final = DataType.string()
_RETURNS_STRING: Final = returns(_STRING)
_INT: Final = DataType.of(Kind.INT)
_BOOLEAN: Final = DataType.of(Kind.BOOLEAN)
_MANY: Final = 2**31
_HASHED: Final = "cast({0} as binary)"
_HASHABLE: Final = TEXT | BYTES
_COUNTABLE: Final = NUMERIC | TEXT
"""Kinds that Spark casts to INT implicitly."""


def _of_texts(*templates: str, counts: tuple[int, int] = (1, 1), infer: Infer = _RETURNS_STRING) -> BuiltInFunction:
    return BuiltInFunction(infer, forms(*templates), counts, takes=(ATOMIC,))


def _plain(name: str) -> BuiltInFunction:
    return _of_texts(f"{name}({{0}})")


def _counted(template: str, infer: Infer = _RETURNS_STRING) -> BuiltInFunction:
    """Return a function of a text and a number."""
    return BuiltInFunction(infer, forms(template), (2, 2), takes=(ATOMIC, _COUNTABLE))


def _hashed(template: str, infer: Infer = _RETURNS_STRING) -> BuiltInFunction:
    return BuiltInFunction(infer, forms(template), (1, 1), takes=(_HASHABLE,))


def _cut(call: Call, texts: Sequence[str]) -> str:
    """Return SUBSTRING as in Flink: empty for a start before the text, unlike Spark's; NULL for a negative length."""
    text, start, *lengths = texts
    begin, *sizes = map(whole_number, call.arguments[1:])
    cases = [f"when {lengths[0]} < 0 then null"] if lengths and (sizes[0] is None or sizes[0] < 0) else []
    if begin is None or begin < 0:
        cases.append(f"when {start} < -char_length({text}) then ''")
    plain = f"substring({', '.join(texts)})"
    return f"case {' '.join(cases)} else {plain} end" if cases else plain


def _cut_type(arguments: Arguments) -> DataType:
    sizes = [whole_number(one) for one in arguments[2:]]
    is_null = any(one is None or one < 0 for one in sizes)
    type_ = _cut_from(arguments)
    return type_ if is_null else returns(type_)(arguments)


def _cut_from(arguments: Arguments) -> DataType:
    return DataType.bytes_() if arguments[0].type.kind in BYTES else _STRING


def _left_type(arguments: Arguments) -> DataType:
    return returns(_cut_from(arguments))(arguments)


def _replaced(call: Call, texts: Sequence[str]) -> str:
    """Return REPLACE, which puts the replacement before each letter and at the end, for an empty text to look for."""
    plain = f"replace({', '.join(texts)})"
    if written_text(call.arguments[1]):
        return plain
    escaped = r"replace(replace({2}, '\\', '\\\\'), '$', '\\$')"
    return bound_text(f"if({{1}} = '', regexp_replace({{0}}, '', {escaped}), replace({{0}}, {{1}}, {{2}}))", texts)


def _trimmed(side: str) -> BuiltInFunction:
    return _of_texts(f"trim({side} {{0}} FROM {{1}})", counts=(2, 2))


def _joined_type(arguments: Arguments) -> DataType:
    """Return the type of CONCAT: bytes for bytes, otherwise a text."""
    is_bytes = all(one.type.kind in BYTES for one in arguments)
    return returns(DataType.bytes_() if is_bytes else _STRING)(arguments)


def _separated_type(arguments: Arguments) -> DataType:
    return _RETURNS_STRING(arguments[:1])


_FROM_BASE64: Final = (
    "decode(unbase64(if({0} rlike '[^A-Za-z0-9+/=]', raise_error('Illegal base64 character'), {0})), 'UTF-8')"
)
_SHA2: Final = f"sha2({_HASHED}, {{1}})"
TEXTS: Final[Mapping[str, BuiltInFunction]] = {
    **{name: _plain(name.lower()) for name in ("UPPER", "LOWER")},
    "URL_ENCODE": _of_texts("url_encode({0})", infer=always_nullable(_STRING)),
    **{name: _of_texts(f"{name.lower()}({{0}})", infer=returns(_INT)) for name in ("CHAR_LENGTH", "CHARACTER_LENGTH")},
    "REVERSE": BuiltInFunction(_RETURNS_STRING, forms("reverse({0})"), (1, 1), takes=(ATOMIC - BYTES,)),
    "UCASE": _plain("upper"),
    "LCASE": _plain("lower"),
    "BTRIM": _of_texts("trim({0})", "trim(BOTH {1} FROM {0})", counts=(1, 2)),
    "CONCAT": _of_texts("concat({*})", counts=(1, _MANY), infer=_joined_type),
    "CONCAT_WS": _of_texts("concat_ws({*})", counts=(1, _MANY), infer=_separated_type),
    "REPEAT": _counted("repeat({0}, {1})"),
    "REPLACE": BuiltInFunction(_RETURNS_STRING, _replaced, (3, 3), takes=(ATOMIC,)),
    "LEFT": _counted("left({0}, {1})", _left_type),
    "RIGHT": _counted("right({0}, {1})", always_nullable(_STRING)),
    **{name: BuiltInFunction(_cut_type, _cut, (2, 3), takes=(ATOMIC, _COUNTABLE)) for name in ("SUBSTR", "SUBSTRING")},
    "TRANSLATE": _of_texts(
        "translate({0}, coalesce({1}, ''), coalesce({2}, ''))", counts=(3, 3), infer=_separated_type
    ),
    "STARTSWITH": _of_texts("startswith({0}, {1})", counts=(2, 2), infer=returns(_BOOLEAN)),
    "ENDSWITH": _of_texts("endswith({0}, {1})", counts=(2, 2), infer=returns(_BOOLEAN)),
    "TO_BASE64": _hashed(f"base64({_HASHED})"),
    "FROM_BASE64": _of_texts(_FROM_BASE64, infer=always_nullable(_STRING)),
    "MD5": _hashed(f"md5({_HASHED})"),
    "SHA1": _hashed(f"sha1({_HASHED})"),
    **{
        f"SHA{bits}": _hashed(f"sha2({_HASHED}, {bits})", infer=always_nullable(_STRING))
        for bits in (224, 256, 384, 512)
    },
    "SHA2": BuiltInFunction(always_nullable(_STRING), forms(_SHA2), (2, 2), takes=(_HASHABLE, _COUNTABLE)),
    "HEX": _of_texts("hex({0})"),
    "BIN": BuiltInFunction(_RETURNS_STRING, forms("bin({0})"), (1, 1), takes=(_COUNTABLE,)),
    "ENCODE": _of_texts("encode({0}, {1})", counts=(2, 2), infer=always_nullable(DataType.bytes_())),
    "DECODE": BuiltInFunction(always_nullable(_STRING), forms("decode({0}, {1})"), (2, 2), takes=(BYTES | TEXT, TEXT)),
    "UUID": BuiltInFunction(never_null(_STRING), forms("uuid()"), (0, 0)),
    **{f"TRIM {side}": _trimmed(side) for side in ("BOTH", "LEADING", "TRAILING")},
    "POSITION": _of_texts("position({0} in {1})", counts=(2, 2), infer=returns(_INT)),
}
"""Functions by name; ``TRIM BOTH`` and its like take the trimmed characters first."""
