"""Spark SQL of the JSON text of a value, as Flink's ``JSON_STRING`` writes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from kafkastream.sql.plan.functions.built_in import CallError
from kafkastream.sql.plan.functions.local_times import IN_UTC
from kafkastream.sql.plan.spark_type_names import quoted_text
from kafkastream.sql.quoting import quoted
from kafkastream.sql.type_families import APPROXIMATE, BYTES, TEXT, WHOLE
from kafkastream.sql.types import DataType, Kind

__all__ = ["check_json", "json_text", "name_text"]

_INSIDE: Final = "regexp_extract(to_json(array({0})), '(?s)^.(.*).$', 1)"
_TIME: Final = "replace(cast({0} as string), ' ', 'T')"
_LEAVES: Final[Mapping[Kind, str]] = {
    **dict.fromkeys(TEXT, _INSIDE),
    **dict.fromkeys(WHOLE, "cast({0} as string)"),
    Kind.BOOLEAN: "cast({0} as string)",
    Kind.DECIMAL: _INSIDE,
    **dict.fromkeys(BYTES, "concat('\"', base64({0}), '\"')"),
    Kind.TIMESTAMP: f"concat('\"', {_TIME}, '\"')",
    Kind.TIMESTAMP_LTZ: f"concat('\"', {_TIME.replace('{0}', IN_UTC)}, 'Z\"')",
}
_DIGITS: Final = "'^(-?)([0-9])[.]([0-9]+)E(-?[0-9]+)$'"


def check_json(type_: DataType, place: int) -> None:
    """Refuse a type that Flink does not write as JSON.

    Args:
        type_: Type of an argument.
        place: Position of the argument.

    Raises:
        CallError: The type, or one inside of it, has no JSON.
    """
    keys = type_.kind in (Kind.MAP, Kind.MULTISET) and type_.parts[0].kind not in TEXT
    if keys:
        raise CallError("The key type must be a character string.", "CAST the keys.", argument=place)
    if not type_.inner_types and type_.kind not in _LEAVES and type_.kind not in APPROXIMATE:
        what = f"Type '{type_}' is not scalar or cannot be converted into JSON."
        raise CallError(what, "CAST it to STRING.", argument=place)
    for inner in type_.inner_types:
        check_json(inner, place)


def name_text(name: str) -> str:
    """Return the Spark SQL of a key with its colon.

    Example:
        >>> print(name_text("a"))
        '"a":'
    """
    return quoted_text(f"{json.dumps(name, ensure_ascii=False)}:")


def json_text(type_: DataType, value: str, depth: int = 0) -> str:
    """Return the Spark SQL of a value's JSON, NULL for NULL.

    Args:
        type_: Type of the value.
        value: Spark SQL of the value, which is repeated.
        depth: Number of lambdas around it.
    """
    inner = f"x{depth}"
    match type_.kind:
        case kind if kind in APPROXIMATE:
            return _float_text(f"cast({value} as double)")
        case Kind.ARRAY:
            elements = f"transform({value}, {inner} -> {_or_null(type_.parts[0], inner, depth + 1)})"
            return f"concat('[', array_join({elements}, ','), ']')"
        case Kind.MAP | Kind.MULTISET:
            counts = type_.parts[1] if type_.kind is Kind.MAP else DataType.of(Kind.INT)
            found = _or_null(counts, f"try_element_at({value}, {inner})", depth + 1)
            pair = f"concat({_INSIDE.format(inner)}, ':', {found})"
            return f"concat('{{', array_join(transform(array_sort(map_keys({value})), {inner} -> {pair}), ','), '}}')"
        case Kind.ROW:
            parts = [
                f"{name_text(field.name)}, {_or_null(field.type, f'{value}.{quoted(field.name)}', depth)}"
                for field in sorted(type_.fields, key=lambda one: one.name.encode("utf-16-be"))
            ]
            pairs = ", ',', ".join(parts) or "''"
            return f"if({value} is null, null, concat('{{', {pairs}, '}}'))"
        case kind:
            return f"if({value} is null, null, {_LEAVES[kind].format(value)})"


def _or_null(type_: DataType, value: str, depth: int) -> str:
    return f"coalesce({json_text(type_, value, depth)}, 'null')"


def _float_text(value: str) -> str:
    """Return a number of DOUBLE as Java's BigDecimal writes the digits of its text."""
    text = f"cast({value} as string)"
    sign, first, rest, power = (f"regexp_extract({text}, {_DIGITS}, {group})" for group in range(1, 5))
    exponent = f"cast({power} as int)"
    after = f"if({exponent} = length({rest}), '', concat('.', substring({rest}, {exponent} + 1)))"
    large = f"concat({sign}, {first}, left({rest}, {exponent}), {after})"
    small = f"concat({sign}, '0.', repeat('0', -{exponent} - 1), {first}, {rest})"
    return (
        f"case when {value} is null then null when isnan({value}) or abs({value}) = double('Infinity') "
        f"then concat('\"', {text}, '\"') when {value} = 0 then '0.0' when {text} not like '%E%' then {text} "
        f"when {exponent} between 0 and length({rest}) then {large} when {exponent} > 0 then replace({text}, 'E', 'E+') "
        f"when {exponent} >= -6 then {small} else {text} end"
    )
