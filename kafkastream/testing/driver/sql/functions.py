"""Built-in functions in Python, with Flink's results; each is in ``tests/differential/expressions`` with those of Flink."""

from __future__ import annotations

import calendar
import datetime
import hashlib
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import partial
from typing import Any, Final, final

import attrs

from kafkastream.errors import UnsupportedFeatureError, UserFunctionError
from kafkastream.operators.table.aggregates.sql_arithmetic import arithmetic
from kafkastream.sql.plan.expression import Call, Literal
from kafkastream.sql.plan.functions.written_values import whole_number, written_text
from kafkastream.sql.type_families import APPROXIMATE, NUMERIC, STAMPS, TEXT, WHOLE
from kafkastream.sql.types import DataType, Kind
from kafkastream.testing.driver.sql.casts import micros_of, stamp_of, truncated

__all__ = ["FUNCTIONS", "PythonFunction", "add_months"]

Make = Callable[[Call], Callable[..., Any] | None]
"""Returns the function of a call; None if only Spark computes this call."""

_MICROS: Final = {"SECOND": 1_000_000, "MINUTE": 60_000_000, "HOUR": 3_600_000_000, "DAY": 86_400_000_000}
_DAY: Final = _MICROS["DAY"]
_EPOCH: Final = datetime.datetime(1970, 1, 1)  # noqa: DTZ001 - times have no zone
_PATTERN: Final = re.compile(r"yyyy|MM|dd|HH|mm|ss|SSS|'[^']*'|[^A-Za-z'\[\]{}#]+")


@final
@attrs.frozen
class PythonFunction:
    """A built-in function.

    Args:
        make: Returns the function of a call.
        takes: Kinds of each argument, the last for all that follow; empty for any.
        takes_null: Whether the function gets NULLs; otherwise the result is NULL if an argument is.
    """

    make: Make
    takes: tuple[Collection[Kind], ...] = ()
    takes_null: bool = False

    def accepts(self, types: Sequence[DataType]) -> bool:
        """Return whether it takes arguments of these types."""
        return not self.takes or all(
            type_.kind in self.takes[min(index, len(self.takes) - 1)] for index, type_ in enumerate(types)
        )


def _plain(call: Callable[..., Any], *takes: Collection[Kind], takes_null: bool = False) -> PythonFunction:
    return PythonFunction(lambda _: call, takes, takes_null)


def _ascii(name: str, change: Callable[[str], str]) -> Callable[[str], str]:
    """Return a function of letters whose other cases Java and Python know by different versions of Unicode."""

    def changed(text: str) -> str:
        if not text.isascii():
            raise UnsupportedFeatureError(
                f"{name} of {text!r} in a query that the test driver computes in Python, which changes ASCII letters only",
                now="JobTestDriver.of(…, spark=True) lets Spark compute it.",
            )
        return change(text)

    return changed


def _substring(text: str, start: int, length: int | None = None) -> str | None:
    """Return SUBSTRING, by BinaryStringDataUtil.substringSQL.

    https://github.com/apache/flink/blob/release-2.2.1/flink-table/flink-table-common/src/main/java/org/apache/flink/table/data/binary/BinaryStringDataUtil.java
    """
    if length is not None and length < 0:
        return None
    begin = start - 1 if start > 0 else len(text) + start if start < 0 else 0
    if begin < 0:
        return ""
    return text[begin:] if length is None else text[begin : begin + length]


def _left(text: str, length: int) -> str:
    return text[: max(length, 0)]


def _right(text: str, length: int) -> str:
    return text[-length:] if length > 0 else ""


def _joined(separator: str | None, *texts: str | None) -> str | None:
    return None if separator is None else separator.join(text for text in texts if text is not None)


def _repeated(text: str, times: int) -> str:
    return text * max(times, 0)


def _trim(side: str) -> Callable[[str, str], str]:
    strip = {"BOTH": str.strip, "LEADING": str.lstrip, "TRAILING": str.rstrip}[side]
    return lambda characters, text: strip(text, characters) if characters else text


def _replaced(call: Call) -> Callable[..., Any] | None:
    return str.replace if written_text(call.arguments[1]) else None


def _like(call: Call, *, negated: bool) -> Callable[..., Any] | None:
    """Return LIKE with a written pattern, in which nothing escapes unless ESCAPE says so."""
    pattern = written_text(call.arguments[1])
    escape = written_text(call.arguments[2]) if len(call.arguments) > 2 else ""
    if pattern is None or escape is None:
        return None
    parts, rest = [], iter(pattern)
    for letter in rest:
        if letter == escape:
            parts.append(re.escape(next(rest, "")))
        else:
            parts.append({"%": ".*", "_": "."}.get(letter) or re.escape(letter))
    matches = re.compile("".join(parts), re.DOTALL).fullmatch
    return lambda text, *_: (matches(text) is None) is negated


def _rounded_number(call: Call, *, up: bool) -> Callable[[Any], Any] | None:
    kind = call.arguments[0].type.kind
    if kind in WHOLE:
        return lambda value: value
    if kind is Kind.DECIMAL:
        mode = ROUND_CEILING if up else ROUND_FLOOR
        return lambda value: Decimal(value).to_integral_value(mode)
    return lambda value: float((math.ceil if up else math.floor)(value)) if math.isfinite(value) else value


def _sign(call: Call) -> Callable[[Any], Any] | None:
    if call.type.kind in WHOLE:
        return lambda value: (value > 0) - (value < 0)
    return None


def _rounded(call: Call) -> Callable[..., Any] | None:
    """Return ROUND to written digits after the point."""
    digits = whole_number(call.arguments[1]) if len(call.arguments) > 1 else 0
    if digits is None or digits < 0:
        return None
    if call.type.kind in WHOLE:
        return lambda value, *_: value
    numbers = arithmetic(call.type)
    return (lambda value, *_: numbers.fitting(value)) if call.type.kind is Kind.DECIMAL else None


def _split_index(call: Call) -> Callable[..., Any] | None:
    separator, index = written_text(call.arguments[1]), whole_number(call.arguments[2])
    if not separator or index is None or index < 0:
        return None

    def part(text: str, *_: Any) -> str | None:
        parts = text.split(separator) if text else []
        return parts[index] if index < len(parts) else None

    return part


def _padded(call: Call, *, left: bool) -> Callable[..., Any] | None:
    if not written_text(call.arguments[2]):
        return None

    def padded(text: str, length: int, pad: str) -> str | None:
        if length < 0:
            return None
        padding = (pad * length)[: max(length - len(text), 0)]
        return (padding + text if left else text + padding) if len(text) < length else text[:length]

    return padded


def _hashed(name: str) -> Callable[[str], str]:
    return lambda text: hashlib.new(name, text.encode(), usedforsecurity=False).hexdigest()


def _of_one_argument(function: Callable[[str], str]) -> Make:
    return lambda call: function if len(call.arguments) == 1 else None


def _found(text: str, part: str) -> int:
    return text.find(part) + 1


def _of_two_arguments(function: Callable[[str, str], int]) -> Make:
    return lambda call: function if len(call.arguments) == 2 else None


def _contains(array: tuple[Any, ...] | None, value: Any) -> bool | None:
    return None if array is None else value in array


def _array_contains(call: Call) -> Callable[..., Any] | None:
    array, value = (argument.type for argument in call.arguments)
    kinds = {array.parts[0].kind, value.kind}
    return _contains if kinds <= WHOLE or kinds <= TEXT else None


def _extreme(choose: Callable[[list[Any]], Any]) -> Make:
    def made(call: Call) -> Callable[..., Any] | None:
        kinds = {argument.type.kind for argument in call.arguments}
        if not (kinds <= WHOLE or kinds <= TEXT or (len(kinds) == 1 and kinds <= STAMPS | {Kind.DATE})):
            return None
        return lambda *values: choose(list(values))

    return made


def _stamp(micros: int) -> datetime.datetime:
    return _EPOCH + datetime.timedelta(microseconds=micros)


_PARTS: Final[Mapping[str, Callable[[datetime.datetime], int]]] = {
    "YEAR": lambda at: at.year,
    "QUARTER": lambda at: (at.month + 2) // 3,
    "MONTH": lambda at: at.month,
    "DAY": lambda at: at.day,
    "DOY": lambda at: at.timetuple().tm_yday,
    "DOW": lambda at: at.isoweekday() % 7 + 1,
    "WEEK": lambda at: at.isocalendar()[1],
    "HOUR": lambda at: at.hour,
    "MINUTE": lambda at: at.minute,
    "SECOND": lambda at: at.second,
}
_FUNCTIONS_OF_PARTS: Final = {"DAYOFMONTH": "DAY", "DAYOFYEAR": "DOY", "DAYOFWEEK": "DOW"}


def _part(name: str) -> Make:
    part = _PARTS[name]

    def made(call: Call) -> Callable[[int], int]:
        unit = _DAY if call.arguments[0].type.kind is Kind.DATE else 1
        return lambda value: part(_stamp(value * unit))

    return made


def _floor(unit: str, *, up: bool) -> Make:
    micros = _MICROS[unit]

    def floored(value: int) -> int:
        return -(-value // micros) * micros if up else value // micros * micros

    return lambda _: floored


def _start_of(unit: str) -> Make:
    """Return FLOOR to a unit of the calendar; a week begins on Sunday."""

    def start(value: int) -> int:
        day = _stamp(value).replace(hour=0, minute=0, second=0, microsecond=0)
        match unit:
            case "YEAR":
                day = day.replace(month=1, day=1)
            case "QUARTER":
                day = day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
            case "MONTH":
                day = day.replace(day=1)
            case _:
                day -= datetime.timedelta(days=day.isoweekday() % 7)
        return (day - _EPOCH) // datetime.timedelta(microseconds=1)

    return lambda _: start


def add_months(micros: int, months: int) -> int:
    """Return a time in µs, months later, or at the end of a shorter month, as Java's ``plusMonths``."""
    at = _stamp(micros)
    year, month = divmod(at.year * 12 + at.month - 1 + months, 12)
    day = min(at.day, calendar.monthrange(year, month + 1)[1])
    return (at.replace(year=year, month=month + 1, day=day) - _EPOCH) // datetime.timedelta(microseconds=1)


def _months_added(months: int) -> Make:
    return lambda call: (
        (lambda count, value: add_months(value, count * months)) if call.arguments[0].type.kind in WHOLE else None
    )


def _added(unit: str) -> Make:
    def added(count: int, value: int) -> int:
        return value + count * _MICROS[unit]

    return lambda call: added if call.arguments[0].type.kind in WHOLE else None


def _difference(unit: str) -> Make:
    micros, wraps = _MICROS[unit], unit in {"SECOND", "MINUTE"}

    def difference(first: int, second: int) -> int:
        """Flink computes it with an INT, which wraps around."""
        between = second - first
        count = between // micros if between >= 0 else -(-between // micros)
        return (count + 2**31) % 2**32 - 2**31 if wraps else count

    return lambda _: difference


def _formatted(call: Call) -> Callable[..., Any] | None:
    pattern = written_text(call.arguments[1])
    if pattern is None:
        return None
    pieces, at = [], 0
    while at < len(pattern):
        matched = _PATTERN.match(pattern, at)
        if matched is None:
            return None
        pieces.append(matched.group())
        at = matched.end()
    return lambda value, _: "".join(_piece(piece, stamp_of(value, 6)) for piece in pieces)


_PLACES: Final = {
    "yyyy": (0, 4),
    "MM": (5, 7),
    "dd": (8, 10),
    "HH": (11, 13),
    "mm": (14, 16),
    "ss": (17, 19),
    "SSS": (20, 23),
}


def _piece(piece: str, stamp: str) -> str:
    if piece in _PLACES:
        return stamp[slice(*_PLACES[piece])]
    return piece if not piece.startswith("'") else piece[1:-1] or "'"


def _instant(call: Call) -> Callable[..., Any] | None:
    """Return TO_TIMESTAMP_LTZ of a whole number, which is NULL beyond the years 0 to 9999."""
    digits = whole_number(call.arguments[1]) if len(call.arguments) > 1 else 3
    if digits not in (0, 3):
        return None
    unit = 1_000_000 if digits == 0 else 1_000

    def instant(value: int, *_: Any) -> int | None:
        micros = value * unit
        return micros if -62_167_219_200_000_000 <= micros <= 253_402_300_799_999_999 else None

    return instant


def _timestamp_of_text(call: Call) -> Callable[..., Any] | None:
    if len(call.arguments) > 1 and written_text(call.arguments[1]) != "yyyy-MM-dd HH:mm:ss":
        return None
    cut = truncated(3)
    return lambda text, *_: cut(micros_of(text))


def _item(call: Call) -> Callable[..., Any] | None:
    value, index = call.arguments
    if value.type.kind is Kind.ARRAY:
        return lambda array, at: array[at - 1] if 0 < at <= len(array) else None
    if value.type.parts[0].kind is index.type.kind or {value.type.parts[0].kind, index.type.kind} <= TEXT:
        return lambda pairs, key: dict(pairs).get(key)
    return None


def _failure(text: str) -> Any:
    raise UserFunctionError(text)


def _windows(clock: int, step: int, size: int, offset: int) -> tuple[tuple[int, int, int], ...]:
    """Return the windows of HOP with a time in µs, by step, size and offset in ms: start, end and last instant."""
    last = (clock - offset * 1000) // (step * 1000) * (step * 1000) + offset * 1000
    starts = (last - number * step * 1000 for number in range(-(-size // step)))
    bounds = ((start, start + size * 1000) for start in starts)
    return tuple((start, end, end - 1000) for start, end in bounds if end > clock)


def _cumulated(clock: int, step: int, size: int, offset: int) -> tuple[tuple[int, int, int], ...]:
    """Return the windows of CUMULATE; arguments as of ``_windows``."""
    start = (clock - offset * 1000) // (size * 1000) * (size * 1000) + offset * 1000
    ends = (start + number * step * 1000 for number in range(1, size // step + 1))
    return tuple((start, end, end - 1000) for end in ends if end > clock)


def _window_start(clock: int, size: int, offset: int) -> int:
    return (clock - offset) // size * size + offset


def _unnested(call: Call) -> Callable[[Any], Any]:
    """Return UNNEST: a row for each element, with its number if the type has one more field."""
    type_ = call.arguments[0].type
    rows: Callable[[Any], list[tuple[Any, ...]]] = {
        Kind.MAP: list,
        Kind.MULTISET: lambda pairs: [(value,) for value, count in pairs for _ in range(count)],
    }.get(type_.kind, lambda array: [(element,) for element in array])
    width = 2 if type_.kind is Kind.MAP else 1
    if type_.kind is Kind.ARRAY and type_.parts[0].kind is Kind.ROW:
        width = len(type_.parts[0].fields)
        rows = lambda array: [(None,) * width if element is None else element for element in array]  # noqa: E731
    if len(call.type.parts[0].fields) == width:
        return lambda value: tuple(rows(value))
    return lambda value: tuple((*row, number) for number, row in enumerate(rows(value), 1))


def _bytes(call: Call) -> Callable[..., Any]:
    constant = bytes.fromhex(written_text(call.arguments[0]) or "")
    return lambda *_: constant


def _map(call: Call) -> Callable[..., Any] | None:
    keys = [key.value for key in call.arguments[::2] if isinstance(key, Literal)]
    if len(set(keys)) * 2 != len(call.arguments):
        return None  # what becomes of equal keys is Spark's setting
    return lambda *values: tuple(zip(values[::2], values[1::2], strict=True))


_COUNTED: Final = ({Kind.TIMESTAMP}, {Kind.TIMESTAMP})
FUNCTIONS: Final[Mapping[str, PythonFunction]] = {
    **{name: _plain(_ascii(name, str.upper), TEXT) for name in ("UPPER", "UCASE")},
    **{name: _plain(_ascii(name, str.lower), TEXT) for name in ("LOWER", "LCASE")},
    **{name: _plain(len, TEXT) for name in ("CHAR_LENGTH", "CHARACTER_LENGTH")},
    "||": _plain(str.__add__, TEXT),
    "CONCAT": _plain(lambda *texts: "".join(texts), TEXT),
    "CONCAT_WS": _plain(_joined, TEXT, takes_null=True),
    **{name: _plain(_substring, TEXT, WHOLE) for name in ("SUBSTR", "SUBSTRING")},
    "LEFT": _plain(_left, TEXT, WHOLE),
    "RIGHT": _plain(_right, TEXT, WHOLE),
    "REPLACE": PythonFunction(_replaced, (TEXT,)),
    "STARTSWITH": _plain(str.startswith, TEXT),
    "ENDSWITH": _plain(str.endswith, TEXT),
    "POSITION": _plain(lambda part, text: text.find(part) + 1, TEXT),
    "REVERSE": _plain(lambda text: text[::-1], TEXT),
    "REPEAT": _plain(_repeated, TEXT, WHOLE),
    **{f"TRIM {side}": _plain(_trim(side), TEXT) for side in ("BOTH", "LEADING", "TRAILING")},
    "LIKE": PythonFunction(partial(_like, negated=False), (TEXT,)),
    "NOT LIKE": PythonFunction(partial(_like, negated=True), (TEXT,)),
    "LTRIM": PythonFunction(_of_one_argument(lambda text: text.lstrip(" ")), (TEXT,)),
    "RTRIM": PythonFunction(_of_one_argument(lambda text: text.rstrip(" ")), (TEXT,)),
    "BTRIM": PythonFunction(_of_one_argument(lambda text: text.strip(" ")), (TEXT,)),
    "INSTR": PythonFunction(_of_two_arguments(_found), (TEXT,)),
    "LOCATE": PythonFunction(_of_two_arguments(lambda part, text: _found(text, part)), (TEXT,)),
    "SPLIT_INDEX": PythonFunction(_split_index, (TEXT, TEXT, WHOLE)),
    "LPAD": PythonFunction(partial(_padded, left=True), (TEXT, WHOLE, TEXT)),
    "RPAD": PythonFunction(partial(_padded, left=False), (TEXT, WHOLE, TEXT)),
    **{name: _plain(_hashed(name.lower()), TEXT) for name in ("MD5", "SHA1", "SHA224", "SHA256", "SHA384", "SHA512")},
    "ROUND": PythonFunction(_rounded, (NUMERIC,)),
    "FLOOR": PythonFunction(partial(_rounded_number, up=False), (NUMERIC,)),
    "CEIL": PythonFunction(partial(_rounded_number, up=True), (NUMERIC,)),
    "SIGN": PythonFunction(_sign, (NUMERIC,)),
    "SQRT": _plain(lambda value: math.sqrt(value) if value >= 0 else math.nan, APPROXIMATE | WHOLE),
    "GREATEST": PythonFunction(_extreme(max)),
    "LEAST": PythonFunction(_extreme(min)),
    **{f"EXTRACT {name}": PythonFunction(_part(name), ({Kind.TIMESTAMP, Kind.DATE},)) for name in _PARTS},
    **{
        name: PythonFunction(_part(_FUNCTIONS_OF_PARTS.get(name, name)), ({Kind.TIMESTAMP, Kind.DATE},))
        for name in (*_FUNCTIONS_OF_PARTS, "YEAR", "QUARTER", "MONTH", "WEEK", "HOUR", "MINUTE", "SECOND")
    },
    **{f"FLOOR TO {unit}": PythonFunction(_floor(unit, up=False), ({Kind.TIMESTAMP},)) for unit in _MICROS},
    **{
        f"FLOOR TO {unit}": PythonFunction(_start_of(unit), ({Kind.TIMESTAMP},))
        for unit in ("YEAR", "QUARTER", "MONTH", "WEEK")
    },
    **{f"CEIL TO {unit}": PythonFunction(_floor(unit, up=True), ({Kind.TIMESTAMP},)) for unit in _MICROS},
    **{f"TIMESTAMPADD {unit}": PythonFunction(_added(unit), (WHOLE, {Kind.TIMESTAMP})) for unit in _MICROS},
    **{
        f"TIMESTAMPADD {unit}": PythonFunction(_months_added(months), (WHOLE, {Kind.TIMESTAMP}))
        for unit, months in (("MONTH", 1), ("QUARTER", 3), ("YEAR", 12))
    },
    **{f"TIMESTAMPDIFF {unit}": PythonFunction(_difference(unit), _COUNTED) for unit in _MICROS},
    "DATE_FORMAT": PythonFunction(_formatted, ({Kind.TIMESTAMP}, TEXT)),
    "TO_TIMESTAMP_LTZ": PythonFunction(_instant, (WHOLE,)),
    "TO_TIMESTAMP": PythonFunction(_timestamp_of_text, (TEXT,)),
    "ARRAY_CONTAINS": PythonFunction(_array_contains, takes_null=True),
    "CARDINALITY": _plain(len, {Kind.ARRAY, Kind.MAP}),
    "$ITEM": PythonFunction(_item),
    "$ARRAY": _plain(lambda *values: values, takes_null=True),
    "ROW": _plain(lambda *values: values, takes_null=True),
    "$MAP": PythonFunction(_map, takes_null=True),
    "$BYTES": PythonFunction(_bytes),
    "$PARTS": _plain(lambda value: value),
    "$FAILURE": _plain(_failure),
    "$WINDOW_START": _plain(_window_start),
    "$WINDOW_TIME": _plain(lambda end: end - 1000),
    "$HOP": _plain(_windows),
    "$CUMULATE": _plain(_cumulated),
    "$COPIES": _plain(lambda count: ((0,),) * count),
    "$UNNEST": PythonFunction(_unnested),
}
"""Functions by name, as in ``kafkastream.sql.plan.functions``."""
