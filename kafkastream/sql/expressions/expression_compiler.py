"""Compiles expressions of Flink SQL to typed expressions over the columns of a relation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final, TypeVar

import attrs
from sqlglot import exp

from kafkastream.sql.expressions.column_scope import Scope, name_parts
from kafkastream.sql.expressions.function_calls import called, called_name
from kafkastream.sql.expressions.grammar_calls import GRAMMAR_CALLS
from kafkastream.sql.expressions.intervals import interval_of
from kafkastream.sql.expressions.limited_literals import full_time_text, number_literal
from kafkastream.sql.expressions.operator_expressions import OPERATOR_EXPRESSIONS
from kafkastream.sql.parser.parsed_query import QueryText, unquoted
from kafkastream.sql.plan.casts import cast
from kafkastream.sql.plan.expression import FALSE, NULL, TRUE, FieldAccess, Literal, TypedExpression, is_null
from kafkastream.sql.plan.functions import call
from kafkastream.sql.plan.functions.built_in import CallError
from kafkastream.sql.plan.functions.choice_functions import case
from kafkastream.sql.plan.functions.collection_functions import IN_SUBQUERY
from kafkastream.sql.plan.functions.null_arguments import ILLEGAL_NULL, TYPED_NULL
from kafkastream.sql.plan.planning_catalog import Catalog
from kafkastream.sql.plan.spark_text import EvaluationCounter
from kafkastream.sql.session_functions import NamedFunction
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.sql.type_families import STAMPS
from kafkastream.sql.types import DataType, Kind

__all__ = ["ExpressionCompiler"]

_T = TypeVar("_T")

_BARE: Final[Mapping[type[exp.Expr], str]] = {
    exp.CurrentTimestamp: "CURRENT_TIMESTAMP",
    exp.CurrentDate: "CURRENT_DATE",
    exp.CurrentTime: "CURRENT_TIME",
    exp.Localtimestamp: "LOCALTIMESTAMP",
}
_NAMELESS_CALLS: Final = frozenset({"LOCALTIMESTAMP", "LOCALTIME", "CURRENT_TIMESTAMP", "CURRENT_TIME", "CURRENT_DATE"})
_TIME_LITERALS: Final = (Kind.DATE, Kind.TIME, Kind.TIMESTAMP)


class ExpressionCompiler:
    """Compiles expressions over one relation.

    Args:
        text: Text of the query, for errors.
        scope: Columns that expressions may refer to.
        catalog: Catalog of user-defined functions.
        answers: Values of subqueries that have been joined, by the identity of their nodes.
    """

    def __init__(
        self,
        text: QueryText,
        scope: Scope,
        catalog: Catalog,
        answers: Mapping[int, TypedExpression] = MappingProxyType({}),
    ) -> None:
        self.text = text
        self.scope = scope
        self.catalog = catalog
        self.answers = answers
        self._evaluations = EvaluationCounter()

    def compile(self, node: exp.Expr) -> TypedExpression:
        """Compile an expression.

        Raises:
            DefinitionError: The expression is invalid.
            UnsupportedFeatureError: Spark cannot compute Flink's result.
        """
        if name_parts(node) is not None:
            return self._named(node)
        if id(node) in self.answers:
            return self.answers[id(node)]
        for kind in type(node).__mro__:
            if kind in self._COMPILERS:
                return self._checked(node, self._COMPILERS[kind](self, node))
        raise self.text.refused(node, f"{self.text.shown(node)} is not supported.", "Write it in another way.")

    def typed(self, node: exp.Expr) -> TypedExpression:
        """Compile an expression that has a type, which NULL alone has not."""
        found = self.compile(node)
        if is_null(found):
            raise self.text.error(node, ILLEGAL_NULL, TYPED_NULL)
        return found

    def call(
        self, node: exp.Expr, name: str, *arguments: TypedExpression, nodes: Sequence[exp.Expr] = ()
    ) -> TypedExpression:
        """Call a built-in function or operator.

        Args:
            node: Node of the call, for errors.
            name: Name in ``kafkastream.sql.plan.functions``.
            arguments: Arguments.
            nodes: Nodes of the arguments, for errors.
        """
        return self.located(node, lambda: call(name, *arguments), nodes)

    def located(self, node: exp.Expr, make: Callable[[], _T], nodes: Sequence[exp.Expr] = ()) -> _T:
        """Make an expression, or the type of an aggregate; errors about arguments get their position in the text."""
        try:
            return make()
        except CallError as error:
            at = node if error.argument is None or error.argument >= len(nodes) else nodes[error.argument]
            if error.is_unsupported:
                raise self.text.refused(at, error.what, error.now) from None
            raise self.text.error(at, error.what, error.now) from None

    def resolved(self, node: exp.Expr) -> TypedExpression:
        """Resolve a name to a column, or to a field of a column."""
        return self.scope.resolve(self.text, node)

    def user_function(self, node: exp.Expr) -> NamedFunction | None:
        """The user-defined function that is called, if it is one: ``f(a)``, or with its database before the name."""
        if not isinstance(node, exp.Anonymous):
            return None
        above = node.parent
        space = _names(above.this) if isinstance(above, exp.Dot) and above.expression is node else ()
        found = self.catalog.function((*space, called_name(node)))
        return found and attrs.evolve(found, name=".".join((*space, found.name)))

    def _checked(self, node: exp.Expr, found: TypedExpression) -> TypedExpression:
        """Refuse an expression that would call a non-deterministic function more than once."""
        again = self._evaluations(found)
        if again and again > sum(self._varies(one) for one in node.find_all(exp.Anonymous)):
            what = f"{self.text.shown(node)} needs the result of a function more than once, which is not deterministic."
            raise self.text.refused(node, what, IN_SUBQUERY)
        return found

    def _varies(self, node: exp.Anonymous) -> bool:
        user = self.user_function(node)
        return user is not None and not user.function.is_deterministic

    def _named(self, node: exp.Expr) -> TypedExpression:
        parts = name_parts(node) or []
        only = parts[0].name.upper() if len(parts) == 1 and not parts[0].args.get("quoted") else ""
        if only in _NAMELESS_CALLS:
            return called(self, exp.Anonymous(this=only, expressions=[]))
        if only == "UNKNOWN":
            return self.located(node, lambda: cast(NULL, DataType.of(Kind.BOOLEAN)))
        return self.resolved(node)

    def _literal(self, node: exp.Expr) -> TypedExpression:
        if node.is_string:
            return Literal.text(node.name)
        is_negative = isinstance(node.parent, exp.Neg)
        return self.located(node, lambda: number_literal(str(node.this), negative=is_negative))

    def _unicode(self, node: exp.Expr) -> TypedExpression:
        escape = node.args.get("escape")
        if escape and len(escape.name) != 1:
            raise self.text.error(node, f"UESCAPE '{escape.name}' must be exactly one character", "Write UESCAPE '#'.")
        return Literal(unquoted(node), DataType.string().not_null())  # type: ignore[arg-type]

    def _bytes(self, node: exp.Expr) -> TypedExpression:
        digits = str(node.this)
        if len(digits) % 2:
            raise self.text.error(
                node, "Binary literal string must contain an even number of hexits", "Write a 0 before."
            )
        return self.call(node, "$BYTES", Literal.text(digits))

    def _case(self, node: exp.Expr) -> TypedExpression:
        self.text.only(node, "this", "ifs", "default")
        whens = [one.this for one in node.args["ifs"]]
        conditions = tuple(map(self.compile, whens))
        if node.args.get("this"):
            subject = self.compile(node.args["this"])
            conditions = tuple(self.call(when, "=", subject, one) for when, one in zip(whens, conditions, strict=True))
        default = node.args.get("default")
        values = [self.compile(one.args["true"]) for one in node.args["ifs"]]
        values.append(self.compile(default) if default else NULL)

        return self.located(node, lambda: case(conditions, values[:-1], values[-1]))

    def _bracket(self, node: exp.Expr) -> TypedExpression:
        self.text.only(node, "this", "expressions")
        base = name_parts(node.this)
        if base and len(base) == 1 and base[0].name.upper() == "MAP" and not base[0].args.get("quoted"):
            return self.call(node, "$MAP", *map(self.compile, node.expressions))
        if len(node.expressions) != 1:
            raise self.text.error(node, "One index is expected in [].", "")
        value, index = self.compile(node.this), self.compile(node.expressions[0])
        if value.type.kind in (Kind.ARRAY, Kind.MAP):
            return self.call(node, "$ITEM", value, index)
        if value.type.kind is Kind.ROW and node.expressions[0].is_int:
            name = value.type.fields[int(node.expressions[0].name) - 1].name
            return FieldAccess.of(value, name)
        what = f"{self.text.shown(node.this)} is {value.type}, not an ARRAY or a MAP."
        raise self.text.error(node, what, "Only these have elements.")

    def _dot(self, node: exp.Expr) -> TypedExpression:
        if isinstance(node.expression, exp.Anonymous):
            return self.compile(node.expression)
        value = self.compile(node.this)
        if not isinstance(node.expression, exp.Identifier) or value.type.kind is not Kind.ROW:
            what = f"{self.text.shown(node.this)} is {value.type}, which has no fields."
            raise self.text.error(node, what, "")
        names = [field.name for field in value.type.fields]
        if node.expression.name not in names:
            what = f"Column '{node.expression.name}' not found: {self.text.shown(node.this)} is {value.type}."
            raise self.text.error(node, what, f"Take one of {', '.join(names)}.")
        return FieldAccess.of(value, node.expression.name)

    def _cast(self, node: exp.Expr) -> TypedExpression:
        to = node.args["to"]
        target = to.meta.get("type") or parse_type(str(to.this.value))
        if isinstance(to, exp.DataType) and target.kind in STAMPS:  # TIMESTAMP '...': precision by the written digits
            target = DataType.of(target.kind, min(9, len(node.this.name.partition(".")[2])))
        if isinstance(to, exp.DataType) and target.kind in _TIME_LITERALS:
            written = self.located(node, lambda: full_time_text(target.kind, node.this.name))
            return self.located(node, lambda: cast(Literal.text(written), target))
        value = self.compile(node.this)
        return self.located(node, lambda: cast(value, target, tries=isinstance(node, exp.TryCast)))

    def _subquery(self, node: exp.Expr) -> TypedExpression:
        raise self.text.refused(
            node,
            "A query inside of an expression is only supported in SELECT, WHERE, HAVING and FILTER.",
            "Join it.",
        )

    def _windowed(self, node: exp.Expr) -> TypedExpression:
        what = f"A call with OVER is only allowed in SELECT and QUALIFY: {self.text.shown(node)}"
        raise self.text.error(node, what, "Select it in a query in FROM, and take its column here.")

    _COMPILERS: ClassVar[Mapping[type[exp.Expr], Callable[[Any, Any], TypedExpression]]] = {
        exp.Literal: _literal,
        exp.UnicodeString: _unicode,
        exp.National: lambda _, node: Literal.text(str(node.this)),
        exp.HexString: _bytes,
        exp.Null: lambda *_: NULL,
        exp.Boolean: lambda _, node: TRUE if node.this else FALSE,
        exp.Case: _case,
        exp.Bracket: _bracket,
        exp.Array: lambda self, node: self.call(node, "$ARRAY", *map(self.compile, node.expressions)),
        exp.Dot: _dot,
        exp.Interval: lambda self, node: interval_of(self.text, node),
        exp.Cast: _cast,
        exp.TryCast: _cast,
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
        **OPERATOR_EXPRESSIONS,
        **GRAMMAR_CALLS,
    }


def _names(node: exp.Expr) -> tuple[str, ...]:
    """Return the parts of the name before a call."""
    return (*_names(node.this), node.expression.name) if isinstance(node, exp.Dot) else (node.name,)
