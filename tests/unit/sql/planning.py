"""Catalog for tests of queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from kafkastream.errors import KafkastreamError
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.expressions.column_scope import Scope
from kafkastream.sql.expressions.expression_compiler import ExpressionCompiler
from kafkastream.sql.parser.parsed_query import QueryText
from kafkastream.sql.plan.expression import TypedExpression
from kafkastream.sql.plan.operations import Operation, TimeAttribute
from kafkastream.sql.plan.planning_catalog import ResolvedTable, View
from kafkastream.sql.plan.relations import Field, Project, Relation, Stateful
from kafkastream.sql.plan.spark_text import SparkPrinter, spark_text
from kafkastream.sql.planner.query_planner import plan_query
from kafkastream.sql.session_functions import NamedFunction, SessionFunctions
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.sql.table import Expression, PhysicalColumn, Position, TableDefinition, TableSchema
from kafkastream.table.udf import AggregateFunction, udaf, udf, udtf

__all__ = [
    "FUNCTIONS",
    "TestCatalog",
    "columns",
    "compiled",
    "condition",
    "failure",
    "operation",
    "plain_texts",
    "plan",
    "table",
    "texts",
    "under",
]


class Spread(AggregateFunction):
    """Aggregate function that neither retracts nor merges."""

    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], *args: int) -> None:
        accumulator.extend(args)

    def get_value(self, accumulator: list[int]) -> int:
        return max(accumulator) - min(accumulator)

    def get_result_type(self) -> str:
        return "BIGINT"

    def get_accumulator_type(self) -> str:
        return "ARRAY<BIGINT>"


class Retractable(Spread):
    """Aggregate function for rows that change, and for sessions."""

    def retract(self, accumulator: list[int], *args: int) -> None:
        for one in args:
            accumulator.remove(one)

    def merge(self, accumulator: list[int], accumulators: Iterable[list[int]]) -> None:
        for one in accumulators:
            accumulator.extend(one)


_START = Position()
FUNCTIONS = SessionFunctions()
"""The functions of the user that queries may call."""
for _function in (
    udf(lambda number: number * 2, result_type="BIGINT", name="my_double"),
    udf(lambda *_: 0.5, result_type="DOUBLE NOT NULL", name="dice", deterministic=False),
    udf(lambda at, price: [at], ["TIMESTAMP(3)", "DECIMAL(20, 2)"], "ARRAY<TIMESTAMP(3)>", name="typed"),
    udtf(lambda text: [(one, len(one)) for one in text.split()], ["STRING"], ["STRING", "INT"], name="words"),
    udaf(Spread(), ["INT"], name="spread"),
    udaf(Spread(), ["INT"], "DOUBLE", name="middle", func_type="pandas"),
    udaf(Retractable(), name="span"),
):
    FUNCTIONS.create(("", "default_database", _function.name), _function, "here", temporary=True)


def table(
    name: str, columns: str, mode: ChangelogMode = ChangelogMode.APPEND, key: Sequence[str] = ()
) -> ResolvedTable:
    """A table of ``name TYPE; name TYPE``, where ``rowtime`` or ``proctime`` behind a type make it a time attribute."""
    fields = []
    for column in columns.split("; "):
        what, _, rest = column.partition(" ")
        time = next((one for one in TimeAttribute if rest.endswith(f" {one.value}")), None)
        fields.append(Field(what, parse_type(rest.removesuffix(f" {time.value}") if time else rest), time))
    physical = tuple(PhysicalColumn(field.name, field.type) for field in fields)
    schema = TableSchema(physical, primary_key=tuple(key))
    options = {"bounded": {}, "sides": {"connector": "filesystem"}}.get(name, {"connector": "datagen"})
    return ResolvedTable(TableDefinition((name,), schema, options), mode, tuple(fields))


class TestCatalog:
    """Some tables and views."""

    __test__ = False

    def __init__(self) -> None:
        stamp = "ts TIMESTAMP(3) rowtime"
        self._known: dict[str, ResolvedTable | View] = {
            "orders": table(
                "orders", f"id INT; cur STRING; price DECIMAL(10, 2); {stamp}; pt TIMESTAMP_LTZ(3) proctime"
            ),
            "wider_orders": table(
                "wider_orders",
                f"id INT; qty INT; cur STRING; price DECIMAL(10, 2); {stamp}; pt TIMESTAMP_LTZ(3) proctime; note STRING",
            ),
            "clicks": table("clicks", "k STRING; v INT; ts TIMESTAMP_LTZ(3) rowtime"),
            "ships": table("ships", f"oid INT; place STRING; tags ARRAY<STRING>; r ROW<x INT, y STRING>; {stamp}"),
            "rates": table(
                "rates", f"cur STRING NOT NULL; rate DECIMAL(10, 2); {stamp}", ChangelogMode.UPSERT, ["cur"]
            ),
            "cdc": table("cdc", "id INT NOT NULL; name STRING; w DOUBLE", ChangelogMode.RETRACT, ["id"]),
            "sides": table("sides", "key INT; note STRING"),
            "dear": View(Expression("SELECT id, price FROM orders WHERE price > 100", Position(7, 3)), ("oid", "p")),
            "broken": View(Expression("SELECT nope FROM orders", Position(7, 3))),
            "egg": View(Expression("SELECT id FROM hen")),
            "hen": View(Expression("SELECT id FROM (SELECT * FROM egg)")),
            "endless": View(Expression("SELECT * FROM endless")),
        }

    @property
    def database(self) -> str:
        """The current database."""
        return "default_database"

    def table(self, path: tuple[str, ...]) -> ResolvedTable | View | None:
        """What a name means."""
        return self._known.get(path[-1]) if len(path) == 1 or path[0] == "default_catalog" else None

    def tables(self) -> Sequence[str]:
        """The names."""
        return list(self._known)

    def function(self, path: tuple[str, ...]) -> NamedFunction | None:
        """A function of the user."""
        return FUNCTIONS.find(("", path[-2] if len(path) > 1 else "default_database", path[-1]))

    def of(self, query: Expression) -> TestCatalog:
        """All is in one database."""
        return self


def plan(query: str, position: Position = _START, zone: str = "UTC") -> Relation:
    """The relations of a query."""
    return plan_query(Expression(query, position), TestCatalog(), zone=zone)


def compiled(expression: str, fields: Sequence[Field]) -> TypedExpression:
    """An expression over the columns of a table ``t``."""
    text = QueryText(Expression(expression))
    return ExpressionCompiler(text, Scope.of(fields, "t"), TestCatalog()).compile(text.expression())


def failure(query: str, position: Position = _START) -> KafkastreamError:
    """The error of a query."""
    with pytest.raises(KafkastreamError) as caught:
        plan(query, position)
    return caught.value


def columns(relation: Relation) -> list[str]:
    """The columns with types, and what time they are."""
    return [f"{one.name} {one.type}" + (f" {one.time.value}" if one.time else "") for one in relation.fields]


def texts(relation: Relation) -> tuple[str, ...]:
    """Spark SQL of the columns of a projection."""
    assert isinstance(relation, Project)
    return tuple(map(spark_text, relation.expressions))


def plain_texts(relation: Relation) -> tuple[str, ...]:
    """Spark SQL of the columns of a projection as users see it, without what makes numbers wrap around."""
    assert isinstance(relation, Project)
    return tuple(map(SparkPrinter(kept="").text, relation.expressions))


def condition(relation: Relation) -> str | None:
    """Spark SQL of the condition of a projection."""
    assert isinstance(relation, Project)
    return None if relation.condition is None else spark_text(relation.condition)


def under(relation: Relation) -> Stateful:
    """The first operation with state below projections."""
    while isinstance(relation, Project):
        relation = relation.input
    assert isinstance(relation, Stateful)
    return relation


def operation(query: str) -> Operation:
    """The topmost operation with state of a query."""
    return under(plan(query)).operation
