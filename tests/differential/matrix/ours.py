"""What kafkastream gives for the cells: types and refusals by the planner, values by Spark, many expressions in one query."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from kafkastream.errors import KafkastreamError
from kafkastream.sql.plan.expression import TypedExpression
from kafkastream.sql.plan.relations import Field
from kafkastream.sql.plan.spark_text import KEPT, spark_text
from kafkastream.sql.plan.spark_type_names import quoted_text, spark_type
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.sql.types import DataType, Kind
from tests.differential.matrix.family import Family
from tests.differential.matrix.shown import shown_map, shown_plain, shown_row, shown_time
from tests.unit.sql.planning import compiled

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

__all__ = ["compiled_family", "values_of"]

Texts = list[Any]


def compiled_family(family: Family) -> dict[str, TypedExpression | KafkastreamError]:
    """The typed expressions of a family, or why they are refused."""
    found: dict[str, TypedExpression | KafkastreamError] = {}
    fields = [Field(name, parse_type(kind)) for name, kind in family.columns]
    for expression in family.expressions:
        try:
            found[expression] = compiled(expression, fields)
        except KafkastreamError as error:
            found[expression] = error
    return found


def values_of(session: SparkSession, family: Family, expressions: Mapping[str, TypedExpression]) -> dict[str, Texts]:
    """Compute the values of all expressions in one query, with ``False`` for a row that fails.

    Spark evaluates each cell inside of the expression by which ``try_`` functions become NULL when they fail.

    Args:
        session: Session of a query.
        family: Family.
        expressions: Its expressions that are not refused.
    """
    from kafkastream.spark.internals.jvm import keep_session_active

    texts = [_countable(spark_text(one), one.type) for one in expressions.values()]
    with keep_session_active(session):  # as where a query starts
        table = _rows(session, family).select("k", *(_tried(session, text, f"e{at}") for at, text in enumerate(texts)))
        columns: list[Any] = table.toArrow().columns
    numbers = columns.pop(0)
    assert numbers.to_pylist() == list(range(len(family.rows)))
    pairs = zip(expressions.items(), columns, strict=True)
    return {name: [_cell(value, one.type) for value in column] for (name, one), column in pairs}


def _tried(session: SparkSession, text: str, name: str) -> Column:
    from pyspark.sql.classic.column import Column

    java: Any = session
    expression = (
        java._jsparkSession.sessionState().sqlParser().parseExpression(f"named_struct('v', if(k < 0, null, {text}))")
    )
    packages = java._jvm.org.apache.spark.sql
    return Column(packages.classic.ExpressionUtils.column(packages.catalyst.expressions.TryEval(expression))).alias(
        name
    )


def _cell(value: Any, type_: DataType) -> Any:
    return _shown(value["v"], type_) if value.is_valid else False


def _rows(session: SparkSession, family: Family) -> DataFrame:
    kinds = [parse_type(kind) for _, kind in family.columns]
    lines = [", ".join([str(at), *map(_literal, row, kinds)]) for at, row in enumerate(family.rows)]
    names = ", ".join(["k", *(f"c{at}" for at in range(len(kinds)))])
    return session.sql(f"select *, true as {KEPT} from values {', '.join(f'({line})' for line in lines)} as t({names})")


def _countable(text: str, type_: DataType) -> str:
    """An interval as a number of microseconds or months; Arrow has no other."""
    match type_.kind:
        case Kind.INTERVAL_YEAR_MONTH:
            return f"extract(YEAR FROM {text}) * 12 + extract(MONTH FROM {text})"
        case Kind.INTERVAL_DAY_SECOND:
            return f"timestampdiff(MICROSECOND, timestamp_ntz'1970-01-01', timestamp_ntz'1970-01-01' + {text})"
        case Kind.TIME:
            return f"cast({text} as string)"
        case _:
            return text


def _literal(value: Any, type_: DataType) -> str:
    """A value of Flink's JSON format as Spark SQL."""
    if value is None:
        return f"cast(null as {spark_type(type_)})"
    match type_.kind:
        case Kind.ARRAY:
            made = f"array({', '.join(_literal(one, type_.parts[0]) for one in value)})"
        case Kind.MAP:
            parts = [part for one in value.items() for part in map(_literal, one, type_.parts)]
            made = f"map({', '.join(parts)})"
        case Kind.ROW:
            fields = [f"'{one.name}', {_literal(value.get(one.name), one.type)}" for one in type_.fields]
            made = f"named_struct({', '.join(fields)})"
        case Kind.VARBINARY:
            made = f"x'{base64.b64decode(value).hex()}'"
        case Kind.BOOLEAN:
            made = str(value)
        case _:
            made = quoted_text(str(value))
    return f"cast({made} as {spark_type(type_)})"


def _shown(value: Any, type_: DataType, *, inside: bool = False) -> str | None:
    if not value.is_valid:
        return "NULL" if inside else None
    match type_.kind:
        case Kind.ARRAY:
            return shown_row([str(_shown(one, type_.parts[0], inside=True)) for one in value.values], "[]")
        case Kind.MAP | Kind.MULTISET:
            kinds = (type_.parts[0], type_.parts[-1])
            entries = zip(value.values.field(0), value.values.field(1), strict=True)
            return shown_map(
                [(str(_shown(k, kinds[0], inside=True)), str(_shown(v, kinds[1], inside=True))) for k, v in entries]
            )
        case Kind.ROW:
            fields = [_shown(value[at], one.type, inside=True) for at, one in enumerate(type_.fields)]
            return shown_row(list(map(str, fields)), "()")
        case _:
            return _shown_leaf(value, type_.kind, inside=inside)


def _shown_leaf(value: Any, kind: Kind, *, inside: bool) -> str:
    match kind:
        case Kind.TIMESTAMP | Kind.TIMESTAMP_LTZ:
            return shown_time(str(np.datetime64(int(value.value), "us"))) + ("Z" if kind is Kind.TIMESTAMP_LTZ else "")
        case Kind.DATE:
            return str(np.datetime64(int(value.value), "D"))
        case Kind.TIME:
            return shown_time(str(value.as_py()))
        case Kind.INTERVAL_YEAR_MONTH:
            return f"{value.as_py()} months"
        case Kind.INTERVAL_DAY_SECOND:
            return f"{value.as_py() // 1000} ms"
        case Kind.FLOAT:
            return shown_plain(float(str(np.float32(value.as_py()))), inside=inside)
        case Kind.CHAR | Kind.VARCHAR:
            return shown_plain(value.as_buffer().to_pybytes().decode(errors="replace"), inside=inside)
        case _:
            return shown_plain(value.as_py(), inside=inside)
