"""``LPAD``, ``RPAD`` and ``OVERLAY``, which count a character beyond the BMP twice in Flink, as Java does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kafkastream.sql.plan.expression import Call
from kafkastream.sql.plan.functions.built_in import BuiltInFunction, always_nullable, returns
from kafkastream.sql.type_families import ATOMIC, NUMERIC, TEXT
from kafkastream.sql.types import DataType

__all__ = ["PADDING_FUNCTIONS"]

_STRING: Final = DataType.string()
_COUNTABLE: Final = NUMERIC | TEXT
_WIDE: Final = r"rlike '[\\x{10000}-\\x{10FFFF}]'"


def _units(text: str) -> str:
    """Return the Spark SQL of a text in UTF-16, as four digits for each unit."""
    return f"hex(encode({text}, 'UTF-16BE'))"


def _text(units: str) -> str:
    return f"decode(unhex({units}), 'UTF-16BE')"


def _cut(units: str) -> str:
    """Return units of UTF-16 of which the last is '?' if it was half of a character."""
    return f"regexp_replace({units}, '^((?:.{{4}})*)D[89AB]..$', '$1003F')"


def _after(units: str) -> str:
    """Return units of UTF-16 of which the first is '?' if it was half of a character."""
    return f"regexp_replace({units}, '^D[C-F]..', '003F')"


def _padded(name: str) -> BuiltInFunction:
    def written(_: Call, texts: Sequence[str]) -> str:
        text, count, pad = texts
        units, size = _units(text), f"4 * {count}"
        padded = f"{name}({units}, {size}, {_units(pad)})"
        if name == "lpad":
            before = _cut(f"left({padded}, {size} - length({units}))")
            padded = f"if(length({units}) >= {size}, {_cut(f'left({units}, {size})')}, concat({before}, {units}))"
        else:
            padded = _cut(padded)
        plain = f"{name}({text}, {count}, {pad})"
        return (
            f"case when {count} < 0 or {pad} = '' then null "
            f"when concat({text}, {pad}) {_WIDE} then {_text(padded)} else {plain} end"
        )

    return BuiltInFunction(always_nullable(_STRING), written, (3, 3), takes=(ATOMIC, _COUNTABLE, ATOMIC))


def _overlaid(_: Call, texts: Sequence[str]) -> str:
    text, placed, start, *counts = texts
    units = _units(text)
    count = counts[0] if counts else f"length({_units(placed)}) div 4"
    before, after = f"left({units}, 4 * ({start} - 1))", f"substring({units}, 4 * ({start} + greatest({count}, 0)) - 3)"
    whole = _text(f"concat({_cut(before)}, {_units(placed)}, {_after(after)})")
    plain = f"overlay({text} placing {placed} from {start} for greatest({counts[0] if counts else f'char_length({placed})'}, 0))"
    return (
        f"case when {start} <= 0 or {start} > length({units}) div 4 then {text} "
        f"when concat({text}, {placed}) {_WIDE} then {whole} else {plain} end"
    )


PADDING_FUNCTIONS: Final[Mapping[str, BuiltInFunction]] = {
    "LPAD": _padded("lpad"),
    "RPAD": _padded("rpad"),
    "OVERLAY": BuiltInFunction(returns(_STRING), _overlaid, (3, 4), takes=(TEXT, TEXT, _COUNTABLE)),
}
"""Functions by name."""
