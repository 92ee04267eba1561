"""Expressions of Flink SQL as Spark SQL over the columns ``c0``, ``c1`` and so on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import attrs
from sqlglot import exp

from kafkastream.sql.expressions import operator_expressions as operators
from kafkastream.sql.expressions.column_scope import Scope, name_parts
from kafkastream.sql.expressions.function_calls import called, called_name
from kafkastream.sql.expressions.grammar_calls import GRAMMAR_CALLS
from kafkastream.sql.expressions.intervals import interval_sql
from kafkastream.sql.parser.parsed_query import QueryText, unquoted
from kafkastream.sql.plan.casts import cast_sql
from kafkastream.sql.plan.plan_builder import column_of, columns_in
from kafkastream.sql.plan.planning_catalog import Catalog, Typing
from kafkastream.sql.plan.relations import column
from kafkastream.sql.plan.spark_type_names import STAMPS, TEXT, quoted_text
from kafkastream.sql.plan.user_calls import checked_calls
from kafkastream.sql.quoting import quoted
from kafkastream.sql.session_functions import NamedFunction
from kafkastream.sql.types import DataType, Kind

__all__ = ["Translator"]

_BARE: Mapping[type[exp.Expr], str] = {
    exp.CurrentTimestamp: "CURRENT_TIMESTAMP",
    exp.CurrentDate: "CURRENT_DATE",
    exp.Localtimestamp: "LOCALTIMESTAMP",
}
_BOOLEAN = DataType.of(Kind.BOOLEAN)
_NAMELESS_CALLS = frozenset({"LOCALTIMESTAMP", "CURRENT_TIMESTAMP", "CURRENT_DATE"})


class Translator:
    """Writes the expressions of one relation.

    Args:
        text: The user's text, for errors.
        scope: The columns that they may name.
        typing: What tells types.
        catalog: What knows the functions of the user.
    """

    def __init__(self, text: QueryText, scope: Scope, typing: Typing, catalog: Catalog) -> None:
        self.text = text
        self.scope = scope
        self.catalog = catalog
        self._typing = typing
        self._types: dict[str, DataType] = {}

    def types(self, expressions: Sequence[str]) -> tuple[DataType, ...]:
        """The types of expressions that are translated already."""
        for at, field in enumerate(self.scope.fields):
            self._types.setdefault(column(at), field.type)
        unknown = [one for one in dict.fromkeys(expressions) if one not in self._types]
        if unknown:
            fields = [field.type for field in self.scope.fields]
            told = self._typing.types(fields, unknown)
            self._types.update({sql: self._with_digits(sql, type_) for sql, type_ in zip(unknown, told, strict=True)})
        return tuple(self._types[one] for one in expressions)

    def _with_digits(self, sql: str, type_: DataType) -> DataType:
        """A computed time has as many digits as those that it is made of: 3, like Flink's functions, if it is made of none."""
        if type_.kind not in STAMPS:
            return type_
        inside = [
            one.size or 0
            for part, one in self._types.items()
            if one.kind in STAMPS and (int(part[1:]) in columns_in(sql) if column_of(part) is not None else part in sql)
        ]
        return attrs.evolve(type_, size=max(inside, default=3))

    def typed(self, sql: str, type_: DataType) -> str:
        """An expression whose type is known better than Spark knows it."""
        self._types.setdefault(sql, type_)
        return sql

    def type_of(self, sql: str) -> DataType:
        """The type of one."""
        return self.types((sql,))[0]

    def sql(self, node: exp.Expr) -> str:
        """An expression in Spark SQL.

        Raises:
            DefinitionError: It is wrong.
            UnsupportedFeatureError: Spark cannot give what Flink gives.
        """
        if name_parts(node) is not None:
            return self._named(node)
        for kind in type(node).__mro__:
            if kind in self._WRITERS:
                sql = checked_calls(self, node, self._WRITERS[kind](self, node))
                return self.typed(sql, _BOOLEAN) if isinstance(node, exp.Predicate | exp.Connector | exp.Not) else sql
        raise self.text.refused(node, f"{self.text.shown(node)} is not supported.", "Write it in another way.")

    def _named(self, node: exp.Expr) -> str:
        parts = name_parts(node) or []
        only = parts[0].name.upper() if len(parts) == 1 and not parts[0].args.get("quoted") else ""
        if only in _NAMELESS_CALLS:
            return called(self, exp.Anonymous(this=only, expressions=[]))
        return self.resolved(node)

    def resolved(self, node: exp.Expr) -> str:
        """The column that a name means."""
        found = self.scope.resolve(self.text, node)
        return self.typed(found.sql, found.type)

    def user_function(self, node: exp.Expr) -> NamedFunction | None:
        """The function of the user that a call is one of, if it is: ``f(a)``, or with its database before it."""
        if not isinstance(node, exp.Anonymous):
            return None
        above = node.parent
        space = _names(above.this) if isinstance(above, exp.Dot) and above.expression is node else ()
        return self.catalog.function((*space, called_name(node)))

    def _literal(self, node: exp.Expr) -> str:
        if node.is_string:
            return self.typed(quoted_text(node.name), DataType.of(Kind.CHAR, max(1, len(node.name))).not_null())
        number = str(node.this)
        if number.isdigit():
            kind = Kind.INT if int(number) < 2**31 else Kind.BIGINT
            if int(number) >= 2**63:
                raise self.text.error(
                    node, f"The number {number} is too great.", "Write it with a point, as a DECIMAL."
                )
            return self.typed(number if kind is Kind.INT else f"{number}L", DataType.of(kind).not_null())
        if "E" in number.upper():
            return self.typed(f"{number}D", DataType.of(Kind.DOUBLE).not_null())
        return f"{number}BD"

    def _unicode(self, node: exp.Expr) -> str:
        if node.args.get("escape"):
            raise self.text.refused(node, "UESCAPE is not supported in queries.", r"Write U&'\0041'.")
        return quoted_text(unquoted(node))  # type: ignore[arg-type]

    def _case(self, node: exp.Expr) -> str:
        self.text.only(node, "this", "ifs", "default")
        subject = node.args.get("this")
        whens, values = [], []
        for one in node.args["ifs"]:
            whens.append(
                operators.comparison(self, exp.EQ(this=subject.copy(), expression=one.this.copy()), "=")
                if subject
                else self.sql(one.this)
            )
            values.append(self.sql(one.args["true"]))
        default = node.args.get("default")
        values.append(self.sql(default) if default else "null")
        values = operators.common(self, node, values)
        branches = " ".join(f"when {when} then {value}" for when, value in zip(whens, values, strict=False))
        return f"case {branches} else {values[-1]} end"

    def _bracket(self, node: exp.Expr) -> str:
        self.text.only(node, "this", "expressions")
        base = name_parts(node.this)
        if base and len(base) == 1 and base[0].name.upper() == "MAP" and not base[0].args.get("quoted"):
            return self._map(node)
        if len(node.expressions) != 1:
            raise self.text.error(node, "One index is expected in [].", "")
        value, index = self.sql(node.this), self.sql(node.expressions[0])
        if self.type_of(value).kind is Kind.ARRAY:
            return f"get({value}, nullif({index}, 0) - 1)"
        if self.type_of(value).kind is Kind.MAP:
            return f"try_element_at({value}, {index})"
        if self.type_of(value).kind is Kind.ROW and node.expressions[0].is_int:
            return f"({value}).{quoted(self.type_of(value).fields[int(index) - 1].name)}"
        what = f"{self.text.shown(node.this)} is {self.type_of(value)}, not an ARRAY or a MAP."
        raise self.text.error(node, what, "Only these have elements.")

    def _map(self, node: exp.Expr) -> str:
        parts = [self.sql(part) for part in node.expressions]
        if len(parts) % 2:
            raise self.text.error(node, "Map requires an even number of arguments", "Write MAP[key, value, ...].")
        parts[::2] = operators.common(self, node, parts[::2])
        parts[1::2] = operators.common(self, node, parts[1::2])
        return f"map({', '.join(parts)})"

    def _array(self, node: exp.Expr) -> str:
        return f"array({', '.join(operators.common(self, node, [self.sql(part) for part in node.expressions]))})"

    def _dot(self, node: exp.Expr) -> str:
        if isinstance(node.expression, exp.Anonymous):
            return called(self, node.expression)
        value, type_ = self.sql(node.this), self.type_of(self.sql(node.this))
        if not isinstance(node.expression, exp.Identifier) or type_.kind is not Kind.ROW:
            raise self.text.error(node, f"{self.text.shown(node.this)} is {type_}, which has no fields.", "")
        return f"({value}).{quoted(node.expression.name)}"

    def _negated(self, node: exp.Expr) -> str:
        value = self.sql(node.this)
        if self.type_of(value).kind in TEXT:
            raise self.text.error(
                node, f"Cannot apply '-' to arguments of type '- <{self.type_of(value)}>'", "CAST it."
            )
        return f"(-{value})"

    def _interval(self, node: exp.Expr) -> str:
        sql = interval_sql(self.text, node)
        is_months = sql.startswith("make_ym_interval")
        kind = Kind.INTERVAL_YEAR_MONTH if is_months else Kind.INTERVAL_DAY_SECOND
        return self.typed(sql, DataType.of(kind).not_null())

    def _subquery(self, node: exp.Expr) -> str:
        raise self.text.refused(
            node,
            "A query inside of an expression is only supported as [NOT] IN or [NOT] EXISTS, alone or joined by AND in WHERE.",
            "Join it.",
        )

    def _windowed(self, node: exp.Expr) -> str:
        raise self.text.refused(
            node,
            f"{self.text.shown(node)} is not supported: OVER is only for ROW_NUMBER() in a subquery, with a condition on it.",
            "Write SELECT ... FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY t) AS rn FROM s) WHERE rn <= n, "
            "or aggregate in a window of TUMBLE, HOP or CUMULATE.",
        )

    _WRITERS: ClassVar[Mapping[type[exp.Expr], Callable[[Translator, exp.Expr], str]]] = {
        exp.Literal: _literal,
        exp.UnicodeString: _unicode,
        exp.Null: lambda *_: "null",
        exp.Boolean: lambda _, node: "true" if node.this else "false",
        exp.Paren: lambda self, node: f"({self.sql(node.this)})",
        exp.Neg: _negated,
        exp.And: lambda self, node: f"({self.sql(node.this)} and {self.sql(node.expression)})",
        exp.Or: lambda self, node: f"({self.sql(node.this)} or {self.sql(node.expression)})",
        exp.Not: lambda self, node: f"(not {self.sql(node.this)})",
        exp.Case: _case,
        exp.Bracket: _bracket,
        exp.Array: _array,
        exp.Dot: _dot,
        exp.Interval: _interval,
        exp.Cast: lambda self, node: cast_sql(self, node, tries=False),
        exp.TryCast: lambda self, node: cast_sql(self, node, tries=True),
        exp.Anonymous: called,
        exp.Tuple: lambda self, node: called(self, exp.Anonymous(this="ROW", expressions=node.expressions)),
        exp.Window: _windowed,
        exp.Subquery: _subquery,
        exp.Exists: _subquery,
        exp.Select: _subquery,
        **{
            bare: lambda self, node: called(self, exp.Anonymous(this=_BARE[type(node)], expressions=[]))
            for bare in _BARE
        },
        **operators.WRITERS,
        **GRAMMAR_CALLS,
    }


def _names(node: exp.Expr) -> tuple[str, ...]:
    """The parts of a name that stands before a call."""
    return (*_names(node.this), node.expression.name) if isinstance(node, exp.Dot) else (node.name,)
