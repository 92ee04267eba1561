"""Interval literals, such as ``INTERVAL '1' DAY``."""

from __future__ import annotations

import re

from sqlglot import exp

from kafkastream.errors import DefinitionError
from kafkastream.sql.parser.parsed_query import QueryText
from kafkastream.sql.plan.expression import Interval, IntervalUnit

__all__ = ["interval_ms", "interval_of"]

_MS = {"WEEK": 604_800_000, "DAY": 86_400_000, "HOUR": 3_600_000, "MINUTE": 60_000, "SECOND": 1000}
_MONTHS = {"YEAR": 12, "QUARTER": 3, "MONTH": 1}
_LIMITS = {"MONTH": 12, "HOUR": 24, "MINUTE": 60, "SECOND": 60}
_LEADING, _FRACTION = 2, 6
"""Digits of an interval's first field, and of a second's fraction, unless they are given."""
_MOST_INT = 2**31
_TIME_UNITS = ("DAY", "HOUR", "MINUTE", "SECOND")


def interval_of(text: QueryText, node: exp.Expr) -> Interval:
    """Compile an interval literal."""
    months = _months(text, node)
    if months is not None:
        return Interval(months, IntervalUnit.MONTH)
    ms = interval_ms(text, node)
    days, rest = divmod(abs(ms), _MS["DAY"])
    unit = node.args.get("unit")
    if not rest and isinstance(unit, exp.Var) and unit.name in ("DAY", "WEEK"):
        return Interval(-days if ms < 0 else days, IntervalUnit.DAY)
    return Interval(ms)


def interval_ms(text: QueryText, node: exp.Expr) -> int:
    """Return the length of a day-time interval, in milliseconds."""
    unit = node.args.get("unit")
    written = node.this.name if isinstance(node, exp.Interval) else ""
    span = _span(unit)
    if not isinstance(node, exp.Interval) or not (span == ("WEEK", "WEEK") or {*span} <= {*_TIME_UNITS}):
        raise text.error(
            node, "An interval of days, hours, minutes or seconds is expected here.", "As INTERVAL '1' HOUR."
        )
    digits = re.fullmatch(r"([-+]?)(\d+(?:[ :]\d+)*)(\.\d{1,9})?", written.strip())
    first, last = span
    if first == "WEEK":
        units: tuple[str, ...] = ("WEEK",)
    else:
        units = _TIME_UNITS[_TIME_UNITS.index(first) : _TIME_UNITS.index(last) + 1]
    numbers = re.split(r"[ :]", digits[2]) if digits else []
    is_carried = any(int(one) >= _LIMITS[unit] for one, unit in zip(numbers[1:], units[1:], strict=False))
    fraction_digits = len(digits[3] or ".") - 1 if digits else 0
    if digits is None or len(numbers) != len(units) or is_carried or fraction_digits > _fraction(node):
        raise _illegal(text, node)
    _check_precision(text, node, first, numbers[0])
    fraction = int((digits[3] or ".0")[1:].ljust(9, "0")[:9]) // 1_000_000
    ms = sum(int(number) * _MS[one] for number, one in zip(numbers, units, strict=True)) + fraction
    return -ms if digits[1] == "-" else ms


def _illegal(text: QueryText, node: exp.Expr) -> DefinitionError:
    span = " TO ".join(dict.fromkeys(_span(node.args.get("unit"))))
    what = f"Illegal interval literal format {node.this.name!r} for INTERVAL {span}"
    return text.error(node, what, "Write, for example, INTERVAL '5' MINUTE or INTERVAL '1 02:30' DAY TO MINUTE.")


def _fraction(node: exp.Expr) -> int:
    """Return the digits of a second's fraction that an interval may have."""
    _, last = _span(node.args.get("unit"))
    first, *others = node.meta["digits"]
    found: list[int] = others[0] if others else first[1:]
    return (found or [_FRACTION])[0] if last == "SECOND" else 0


def _check_precision(text: QueryText, node: exp.Expr, first: str, number: str) -> None:
    """Refuse a first field with more digits than its precision, two by default, or beyond an INT."""
    most = (node.meta["digits"][0] or [_LEADING])[0]
    if len(number.lstrip("0")) > most or int(number) >= _MOST_INT:
        what = f"Interval field value {number} exceeds precision of {first}({most}) field"
        raise text.error(node, what, f"Write {first}({len(number)}) or a greater unit.")


def _span(unit: exp.Expr | None) -> tuple[str, str]:
    if isinstance(unit, exp.IntervalSpan):
        return unit.this.name, unit.expression.name
    name = unit.name if unit else "SECOND"
    return name, name


def _months(text: QueryText, node: exp.Expr) -> int | None:
    first, last = _span(node.args.get("unit"))
    if first not in _MONTHS:
        return None
    found = re.fullmatch(r"([-+]?)(\d+)(?:-(\d+))?", node.this.name.strip())
    if found is None or (found[3] is not None) is not (first != last) or int(found[3] or 0) >= _LIMITS["MONTH"]:
        raise _illegal(text, node)
    _check_precision(text, node, first, found[2])
    months = int(found[2]) * _MONTHS[first] + int(found[3] or 0)
    return -months if found[1] == "-" else months
