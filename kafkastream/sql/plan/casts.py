"""``CAST`` and ``TRY_CAST`` with Flink's results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
from sqlglot import exp

from kafkastream.sql.casting import castable
from kafkastream.sql.plan.spark_type_names import STAMPS, TEXT, WHOLE, quoted_text, spark_type
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.sql.types import DataType, Kind

if TYPE_CHECKING:
    from kafkastream.sql.expressions.expressions import Translator

__all__ = ["cast_sql", "converted", "truncated"]

_LONGEST = 2**31 - 1


def cast_sql(of: Translator, node: exp.Expr, *, tries: bool) -> str:
    """A cast; of the types that Flink takes only."""
    target = node.args["to"].meta.get("type") or parse_type(str(node.args["to"].this.value))
    if isinstance(node.args["to"], exp.DataType):
        target = _of_literal(target, node.this.name)
    value = of.sql(node.this)
    if value == "null":
        return f"cast(null as {spark_type(target)})"
    source = of.type_of(value)
    if not castable(source, target):
        raise of.text.error(
            node, f"Cast function cannot convert value of type {source} to type {target}", "Cast it stepwise."
        )
    sql = converted(of, node, value, source, target, "try_cast" if tries else "cast")
    return (
        sql
        if sql == value
        else of.typed(sql, target if tries else attrs.evolve(target, is_nullable=source.is_nullable))
    )


def _of_literal(target: DataType, written: str) -> DataType:
    """The type of ``TIMESTAMP '...'``: as many digits as are written."""
    if target.kind not in STAMPS:
        return target
    return DataType.of(target.kind, min(9, len(written.partition(".")[2])))


def converted(of: Translator, node: exp.Expr, value: str, source: DataType, target: DataType, cast: str) -> str:
    """A value of one type as another."""
    plain = f"{cast}({value} as {spark_type(target)})"
    if target.kind in TEXT:
        return _length(_as_text(value, source), target)
    if target.parts or target.fields:
        if not _is_plain(source, target):
            what = f"CAST from {source} to {target} is not supported."
            raise of.text.refused(node, what, "Cast the elements, and make it with ROW(...), ARRAY[...] or MAP[...].")
        return plain
    if source.kind in TEXT and target.kind in WHOLE:
        digits = f"regexp_replace(trim({value}), '^([+-]?[0-9]+)[.][0-9]*$', '$1')"
        return f"{cast}({digits} as {spark_type(target)})"
    if target.kind in STAMPS and not _fits(source, target):
        return truncated(plain, target.size or 0)
    return plain


def _fits(source: DataType, target: DataType) -> bool:
    digits = (source.size or 0) if source.kind in STAMPS else 0 if source.kind is Kind.DATE else 9
    return min(digits, 6) <= (target.size or 0)


def truncated(stamp: str, digits: int) -> str:
    """A time with so many digits behind the second."""
    unit = 10 ** (6 - min(digits, 6))
    rest = f"cast(extract(SECOND FROM {stamp}) * 1000000 as bigint) % {unit}"
    return f"timestampadd(MICROSECOND, -({rest}), {stamp})"


def _as_text(value: str, source: DataType) -> str:
    match source.kind:
        case Kind.BOOLEAN:
            return f"upper(cast({value} as string))"
        case Kind.TIMESTAMP | Kind.TIMESTAMP_LTZ:
            digits = min(source.size or 0, 6)
            return (
                f"date_format({value}, {quoted_text('yyyy-MM-dd HH:mm:ss' + ('.' + 'S' * digits if digits else ''))})"
            )
        case kind if kind in TEXT:
            return value
        case _:
            return f"cast({value} as string)"


def _length(text: str, target: DataType) -> str:
    if target.kind is Kind.CHAR:
        return f"rpad({text}, {target.size}, ' ')"
    return text if (target.size or _LONGEST) == _LONGEST else f"left({text}, {target.size})"


def _is_plain(source: DataType, target: DataType) -> bool:
    """Whether Spark casts all that is inside as Flink does."""
    inner = zip(
        source.parts or [field.type for field in source.fields],
        target.parts or [field.type for field in target.fields],
        strict=True,
    )
    return all(_is_plain(*pair) if pair[0].parts or pair[0].fields else _is_plain_leaf(*pair) for pair in inner)


def _is_plain_leaf(source: DataType, target: DataType) -> bool:
    same = source.kind is target.kind or (source.kind in TEXT and target.kind in TEXT)
    if target.kind in TEXT and (target.size or _LONGEST) < max(source.size or 0, 0):
        return False
    if source.kind in STAMPS:
        return same and _fits(source, target)
    return same or (source.kind in WHOLE and target.kind in TEXT | WHOLE | {Kind.DOUBLE, Kind.FLOAT, Kind.DECIMAL})
