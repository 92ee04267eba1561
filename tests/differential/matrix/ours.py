"""What kafkastream gives for the cells: types and refusals by the planner, values by Spark, many expressions in one query."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, final

import attrs
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
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Cells", "compiled_family"]

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


@final
@attrs.frozen
class Cells:
    """Computes the cells of a family.

    Args:
        session: Session of a query.
        family: Family.
        expressions: Its expressions that are not refused.
    """

    session: SparkSession
    family: Family
    expressions: Mapping[str, TypedExpression]

    def values(self, failing: Mapping[str, Sequence[int]]) -> dict[str, Texts]:
        """The values of all expressions, with ``False`` for a row that fails, given those that do."""
        found = dict(self._bisected(list(self.expressions), failing))
        for expression, rows in failing.items():
            if expression in found:
                for row in rows:
                    found[expression][row] = self._alone(expression, row)
        return found

    def _bisected(self, wanted: Sequence[str], failing: Mapping[str, Sequence[int]]) -> Iterator[tuple[str, Texts]]:
        if not wanted:
            return
        values = self._computed(
            {one: _masked(spark_text(self.expressions[one]), failing.get(one, ())) for one in wanted}
        )
        if values is not None:
            yield from zip(wanted, values, strict=True)
        elif len(wanted) > 1:
            half = len(wanted) // 2
            yield from self._bisected(wanted[:half], failing)
            yield from self._bisected(wanted[half:], failing)
        else:
            yield wanted[0], [self._alone(wanted[0], row) for row in range(len(self.family.rows))]

    def _alone(self, expression: str, row: int) -> Any:
        values = self._computed({expression: spark_text(self.expressions[expression])}, row)
        return False if values is None else values[0][0]

    def _computed(self, texts: Mapping[str, str], row: int | None = None) -> list[Texts] | None:
        from pyspark.errors import PySparkException

        wanted = [
            f"{_countable(text, self.expressions[one].type)} as e{at}" for at, (one, text) in enumerate(texts.items())
        ]
        rows = range(len(self.family.rows)) if row is None else [row]
        try:
            table = self._frame(rows).selectExpr("k", *wanted).toArrow()
        except PySparkException:
            return None
        columns: list[Any] = table.columns
        assert columns[0].to_pylist() == list(rows)
        return [
            [_shown(value, self.expressions[one].type) for value in columns[at + 1]] for at, one in enumerate(texts)
        ]

    def _frame(self, rows: Sequence[int]) -> DataFrame:
        kinds = [parse_type(kind) for _, kind in self.family.columns]
        lines = [", ".join([str(at), *map(_literal, self.family.rows[at], kinds)]) for at in rows]
        names = ", ".join(["k", *(f"c{at}" for at in range(len(kinds)))])
        return self.session.sql(
            f"select *, true as {KEPT} from values {', '.join(f'({line})' for line in lines)} as t({names})"
        )


def _masked(text: str, rows: Sequence[int]) -> str:
    return f"if(k in ({', '.join(map(str, rows))}), null, {text})" if rows else text


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
            return shown_time(value.as_py())
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
