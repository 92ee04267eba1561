"""``CAST`` and ``TRY_CAST`` with Flink's results."""

from __future__ import annotations

import attrs

from kafkastream.sql.casting import castable
from kafkastream.sql.plan.expression import NULL, Cast, CastMode, TypedExpression, is_null
from kafkastream.sql.plan.functions.bound_arguments import bound_text, read_by_name
from kafkastream.sql.plan.functions.built_in import CallError
from kafkastream.sql.plan.functions.local_times import local_text
from kafkastream.sql.plan.functions.time_functions import truncated
from kafkastream.sql.plan.functions.wrapped_numbers import BITS, lowest_bits
from kafkastream.sql.plan.spark_type_names import decimal_of, quoted_text, spark_type
from kafkastream.sql.quoting import quoted
from kafkastream.sql.type_families import APPROXIMATE, BYTES, CONSTRUCTED, NUMERIC, STAMPS, TEXT, WHOLE
from kafkastream.sql.types import DataType, Kind

__all__ = ["cast", "cast_text", "typed_null", "widened"]

_LONGEST = 2**31 - 1
_EPOCH = "timestamp_ntz'1970-01-01 00:00:00'"
_SIGN = "if({0} < 0, '-', '+')"
_MONTHS = f"if({{0}} is null, null, format_string('%s%d-%02d', {_SIGN}, abs({{0}}) div 12, abs({{0}}) % 12))"
_PARTS = (
    "abs({0}) div 86400000, abs({0}) div 3600000 % 24, abs({0}) div 60000 % 60, abs({0}) div 1000 % 60, abs({0}) % 1000"
)
_DAYS = f"if({{0}} is null, null, format_string('%s%d %02d:%02d:%02d.%03d', {_SIGN}, {_PARTS}))"
_EQUALS = ", '=', "


def typed_null(type_: DataType) -> Cast:
    """Return NULL of a type."""
    return Cast(NULL, type_.nullable())


def widened(value: TypedExpression, type_: DataType) -> TypedExpression:
    """Return a value widened to a type."""
    return value if value.type == type_ else Cast(value, type_)


def cast(value: TypedExpression, target: DataType, *, tries: bool = False) -> TypedExpression:
    """Cast a value as ``CAST`` does, or ``TRY_CAST``.

    Args:
        value: Expression.
        target: Type of the result.
        tries: Whether to return NULL for a value that does not fit (``TRY_CAST``).

    Raises:
        CallError: Flink does not cast between these types, or Spark's result differs.
    """
    if is_null(value):
        return typed_null(target)
    source = value.type
    if not (castable(source, target) or (target.kind in TEXT and _has_text(source))):
        raise CallError(f"Cast function cannot convert value of type {source} to type {target}", "Cast it stepwise.")
    if target.inner_types and tries and not _is_plain(source, target):
        what = f"TRY_CAST from {source} to {target} is not supported: Spark has no NULL for a whole with a part that fails."
        raise CallError.unsupported(what, "Cast the elements, and make it with ROW(...), ARRAY[...] or MAP[...].")
    if source.kind in TEXT and target.kind is Kind.VARCHAR and (target.size or _LONGEST) == _LONGEST:
        return value
    type_ = target if tries else attrs.evolve(target, is_nullable=source.is_nullable)
    return Cast(value, type_, CastMode.TRY_CAST if tries else CastMode.CAST)


def cast_text(cast: Cast, value: str, *, runs: bool = True) -> str:
    """Return the Spark SQL of a cast.

    Args:
        cast: The cast.
        value: Spark SQL of its value.
        runs: Whether for a job, not for a description, which checkpoints have.
    """
    source, target = cast.value.type, cast.type
    match cast.mode:
        case CastMode.ASSIGNMENT:
            return f"CAST({value.upper() if is_null(cast.value) else value} AS {spark_type(target)})"
        case CastMode.IMPLICIT:
            return f"cast({value} as {spark_type(target)})"
        case CastMode.CAST | CastMode.TRY_CAST:
            now = _running_text(source, target, value, cast.mode.value.lower()) if runs else None
            return now or _converted_text(source, target, value, cast.mode.value.lower())


def _running_text(source: DataType, target: DataType, value: str, keyword: str) -> str | None:
    """Return the Spark SQL of a cast where descriptions have another; None for the others."""
    match source.kind, target.kind:
        case Kind.TIMESTAMP, kind if kind in TEXT:
            return _length(local_text(value, min(source.size or 0, 6)), target)
        case Kind.TIMESTAMP, Kind.TIME:
            return f"cast(right({local_text(value, 0)}, 8) as {spark_type(target)})"
        case kind, Kind.TIME if kind in TEXT and not target.size:
            return f"{keyword}(regexp_replace({value}, '[.][0-9]*$', '') as time(0))"
        case kind, Kind.TIMESTAMP_LTZ if kind in TEXT:
            dated = rf"regexp_replace({value}, '^ *[Tt]?[0-9]{{1,2}}:', 'no day, ')"
            return truncated(f"{keyword}({dated} as timestamp)", target.size or 0)
        case _:
            return None


def _converted_text(source: DataType, target: DataType, value: str, keyword: str) -> str:
    plain = f"{keyword}({value} as {spark_type(target)})"
    if target.inner_types and not _is_plain(source, target):
        return read_by_name([value], lambda names: _nested_text(names[0], source, target, 0), "n")
    if target.kind in BYTES and (target.size or _LONGEST) < _LONGEST:
        return f"rpad({plain}, {target.size}, x'00')" if target.kind is Kind.BINARY else f"left({plain}, {target.size})"
    if target.kind in TEXT:
        if source.kind in CONSTRUCTED:
            return _length(read_by_name([value], lambda names: _as_text(names[0], source), "t"), target)
        return _length(_as_text(value, source), target)
    if source.kind in NUMERIC and target.kind in NUMERIC:
        return _number(value, source, target) or plain
    if source.kind is Kind.TIME and target.kind in STAMPS:
        clock = f"make_dt_interval(0, hour({value}), minute({value}), extract(SECOND FROM {value}))"
        return f"cast(timestamp_ntz'1970-01-01 00:00:00' + {clock} as {spark_type(target)})"
    if source.kind in STAMPS and target.kind is Kind.TIME:
        return f"cast(date_format({value}, 'HH:mm:ss') as {spark_type(target)})"
    if source.kind in TEXT and target.kind in WHOLE:
        digits = f"regexp_replace(trim({value}), '^([+-]?[0-9]+)[.][0-9]*$', '$1')"
        return f"{keyword}({digits} as {spark_type(target)})"
    if target.kind in STAMPS and not _fits(source, target):
        return truncated(plain, target.size or 0)
    return plain


def _nested_text(value: str, source: DataType, target: DataType, depth: int) -> str:
    """Return the Spark SQL of an array, a map or a row whose parts are cast one by one."""
    inner = f"p{depth}"
    parts = list(zip(source.inner_types, target.inner_types, strict=True))

    def part(place: int, text: str, below: int) -> str:
        own, wanted = parts[place]
        if own == wanted:
            return text
        if wanted.inner_types:
            return _nested_text(text, own, wanted, below)
        return _running_text(own, wanted, text, "cast") or _converted_text(own, wanted, text, "cast")

    match target.kind:
        case Kind.ARRAY:
            return f"transform({value}, {inner} -> {part(0, inner, depth + 1)})"
        case Kind.MAP:
            pair = ", ".join(part(place, f"{inner}.{name}", depth + 1) for place, name in enumerate(("key", "value")))
            return f"map_from_entries(transform(map_entries({value}), {inner} -> struct({pair})))"
        case _:
            names = [
                (quoted_text(to.name), quoted(of.name)) for to, of in zip(target.fields, source.fields, strict=True)
            ]
            fields = (f"{to}, {part(at, f'{value}.{of}', depth)}" for at, (to, of) in enumerate(names))
            return f"if({value} is null, null, named_struct({', '.join(fields)}))"


def _number(value: str, source: DataType, target: DataType) -> str | None:
    """Return a number of another type: integers wrap around as in Java, and a DECIMAL that is too long is NULL."""
    if target.kind is Kind.DECIMAL:
        tried = f"try_cast({value} as {spark_type(target)})"
        if source.kind not in APPROXIMATE:
            given = decimal_of(source)
            has_room = (given.size or 0) - (given.scale or 0) < (target.size or 0) - (target.scale or 0) + (
                (given.scale or 0) <= (target.scale or 0)
            )
            return None if has_room else tried
        no_number = "raise_error('NaN and Infinity are not DECIMAL values')"
        return f"if({value} - {value} = 0 or {value} is null, {tried}, {no_number})"
    if target.kind in APPROXIMATE or BITS.get(source.kind, 65) <= BITS[target.kind]:
        return None
    if source.kind in APPROXIMATE:
        kind, bits = ("bigint", 64) if target.kind is Kind.BIGINT else ("int", 32)
        most, least = 2 ** (bits - 1) - 1, f"{kind}(-{2 ** (bits - 1)}BD)"
        value = (
            f"case when isnan({value}) then {kind}(0) when {value} >= {most}BD then {kind}({most}BD) "
            f"when {value} <= -{most}BD then {least} else cast({value} as {kind}) end"
        )
        return value if bits == BITS[target.kind] else lowest_bits(f"cast({value} as bigint)", target)
    return lowest_bits(f"cast({value} as bigint)", target) if target.kind is not Kind.BIGINT else None


def _fits(source: DataType, target: DataType) -> bool:
    digits = (source.size or 0) if source.kind in STAMPS else 0 if source.kind is Kind.DATE else 9
    return min(digits, 6) <= (target.size or 0)


def _as_text(value: str, source: DataType, depth: int = 0) -> str:
    """Return the Spark SQL of a value's text, which is inside of so many lambdas; NULL for NULL."""
    match source.kind:
        case Kind.BOOLEAN:
            return f"upper(cast({value} as string))"
        case Kind.TIMESTAMP | Kind.TIMESTAMP_LTZ:
            digits = min(source.size or 0, 6)
            shape = "yyyy-MM-dd HH:mm:ss" + ("." + "S" * digits if digits else "")
            return f"date_format({value}, {quoted_text(shape)})"
        case kind if kind in TEXT:
            return value
        case kind if kind in CONSTRUCTED:
            return _constructed_text(value, source, depth)
        case Kind.BINARY | Kind.VARBINARY:
            return f"decode({value}, 'UTF-8')"
        case Kind.INTERVAL_DAY_SECOND:
            return bound_text(_DAYS, [f"timestampdiff(MILLISECOND, {_EPOCH}, {_EPOCH} + {value})"], f"i{depth}")
        case Kind.INTERVAL_YEAR_MONTH:
            return bound_text(_MONTHS, [f"extract(YEAR FROM {value}) * 12 + extract(MONTH FROM {value})"], f"i{depth}")
        case _:
            return f"cast({value} as string)"


def _constructed_text(value: str, source: DataType, depth: int) -> str:
    """Return the Spark SQL of ``[a, NULL]``, ``{k=v}`` or ``(a, b)``."""
    inner = f"t{depth}"
    match source.kind:
        case Kind.ARRAY:
            parts = f"transform({value}, {inner} -> {_shown(inner, source.parts[0], depth + 1)})"
            return f"concat('[', array_join({parts}, ', '), ']')"
        case Kind.MAP:
            pair = (
                _shown(f"{inner}.{name}", type_, depth + 1)
                for name, type_ in zip(("key", "value"), source.parts, strict=True)
            )
            pairs = f"transform(map_entries({value}), {inner} -> concat({_EQUALS.join(pair)}))"
            return f"concat('{{', array_join({pairs}, ', '), '}}')"
        case _:
            fields = [_shown(f"{value}.{quoted(one.name)}", one.type, depth) for one in source.fields]
            return f"if({value} is null, null, concat('(', concat_ws(', ', {', '.join(fields)}), ')'))"


def _has_text(source: DataType) -> bool:
    """Return whether a type is an array, a map or a row, and all its values can be cast to text."""
    return source.kind in CONSTRUCTED - {Kind.MULTISET} and all(
        castable(inner, DataType.string()) or _has_text(inner) for inner in source.inner_types
    )


def _shown(value: str, source: DataType, depth: int) -> str:
    return f"coalesce({_as_text(value, source, depth)}, 'NULL')"


def _length(text: str, target: DataType) -> str:
    if target.kind is Kind.CHAR:
        return f"rpad({text}, {target.size}, ' ')"
    return text if (target.size or _LONGEST) == _LONGEST else f"left({text}, {target.size})"


def _is_plain(source: DataType, target: DataType) -> bool:
    """Return whether Spark casts the values inside of a type as Flink does."""
    inner = zip(source.inner_types, target.inner_types, strict=True)
    return all(_is_plain(*pair) if pair[0].inner_types else _is_plain_leaf(*pair) for pair in inner)


def _is_plain_leaf(source: DataType, target: DataType) -> bool:
    same = source.kind is target.kind or (source.kind in TEXT and target.kind in TEXT)
    if target.kind in TEXT and (target.size or _LONGEST) < max(source.size or 0, 0):
        return False
    if source.kind in STAMPS:
        return same and _fits(source, target)
    return same or (source.kind in WHOLE and target.kind in TEXT | NUMERIC)
