"""Calls of aggregate functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, final

import attrs
from sqlglot import exp

from kafkastream.sql.expressions.aggregate_forms import FORMS
from kafkastream.sql.expressions.aggregate_names import AGGREGATES
from kafkastream.sql.expressions.expression_compiler import ExpressionCompiler
from kafkastream.sql.plan.aggregate_types import aggregate_type
from kafkastream.sql.plan.expression import TypedExpression
from kafkastream.sql.plan.operations import AggregateCall, AggregateFunction
from kafkastream.sql.plan.user_aggregate import UserAggregate
from kafkastream.sql.plan.user_call import user_arguments
from kafkastream.sql.session_functions import NamedFunction
from kafkastream.sql.types import DataType, Kind
from kafkastream.sql.user_functions import FunctionKind

__all__ = ["RequestedAggregate", "aggregate_of", "calls_in", "find_user_aggregates", "user_aggregate"]

_OF_USER: Final = "aggregate"
"""Mark on the calls of user-defined aggregate functions, which only the catalog can distinguish from other calls."""


@final
@attrs.frozen
class RequestedAggregate:
    """Aggregate that a query requests.

    Args:
        call: Call without positions of its columns.
        arguments: Arguments; none for ``COUNT(*)``.
        filter: Condition of FILTER; None for all rows.
        node: Node of the call, for errors.
    """

    call: AggregateCall
    arguments: tuple[TypedExpression, ...]
    filter: TypedExpression | None
    node: exp.Expr | None = attrs.field(default=None, eq=False, repr=False)

    @property
    def inputs(self) -> tuple[TypedExpression, ...]:
        """Return the expressions that the aggregate needs as columns."""
        return self.arguments if self.filter is None else (*self.arguments, self.filter)

    def placed(self, columns: Sequence[TypedExpression], zone: str) -> AggregateCall:
        """Return the call on columns.

        Args:
            columns: Columns of the input.
            zone: Time zone of the session.
        """
        places, call = tuple(map(columns.index, self.arguments)), self.call
        where = None if self.filter is None else columns.index(self.filter)
        if call.user is not None:
            return attrs.evolve(call, filter=where, user=attrs.evolve(call.user, arguments=places, zone=zone))
        return attrs.evolve(call, filter=where, argument=places[0] if places else None)


def _name(node: exp.Expr | None) -> str:
    return node.name.upper() if isinstance(node, exp.Anonymous) else ""


def _is_aggregate(node: exp.Expr) -> bool:
    return _name(node) in AGGREGATES or _OF_USER in node.meta


def find_user_aggregates(of: ExpressionCompiler, node: exp.Expr) -> None:
    """Mark the calls of user-defined aggregate functions in a query, for ``calls_in``."""
    for one in node.find_all(exp.Anonymous):
        found = of.user_function(one)
        if found is not None and found.function.kind is FunctionKind.AGGREGATE:
            one.meta[_OF_USER] = True


def calls_in(node: exp.Expr) -> Iterator[exp.Expr]:
    """Return the aggregates in an expression, with their FILTER; of OVER those below its own, and none of subqueries."""
    if isinstance(node, exp.Query):
        return
    if isinstance(node, exp.Window):
        for part in (*node.this.expressions, *(node.args.get("partition_by") or ()), node.args.get("order")):
            yield from calls_in(part) if part else ()
        return
    if isinstance(node, exp.Filter | exp.IgnoreNulls | exp.RespectNulls | exp.WithinGroup) or _is_aggregate(node):
        yield node
        return
    for child in node.iter_expressions():
        yield from calls_in(child)


def aggregate_of(of: ExpressionCompiler, node: exp.Expr) -> RequestedAggregate | None:
    """Compile an aggregate; None if the node is not one.

    Raises:
        DefinitionError: The arguments do not fit.
        UnsupportedFeatureError: Flink has the aggregate, and this package does not.
    """
    text = of.text
    filtered: TypedExpression | None = None
    if isinstance(node, exp.IgnoreNulls | exp.RespectNulls | exp.WithinGroup):
        raise text.refused(node, f"{text.shown(node)} is not supported.", "Write it with FILTER (WHERE x IS NOT NULL).")
    if isinstance(node, exp.Filter):
        filtered = of.compile(node.expression.this)
        if filtered.type.kind is not Kind.BOOLEAN:
            raise text.error(node.expression, "FILTER must be a condition", "Write FILTER (WHERE ...).")
        node = node.this
        if not _is_aggregate(node):
            raise text.error(node, "FILTER must not be used with a function that is not an aggregate", "Leave it out.")
    if not _is_aggregate(node) or not isinstance(node, exp.Anonymous):
        return None
    text.only(node, "this", "expressions")
    user = of.user_function(node)
    wanted = _wanted(of, node) if user is None else _user_wanted(of, node, user)
    return attrs.evolve(wanted, filter=filtered, node=node)


def _wanted(of: ExpressionCompiler, node: exp.Anonymous) -> RequestedAggregate:
    text, function = of.text, AGGREGATES[_name(node)]
    arguments, is_distinct = _given(node)
    if function in FORMS:
        call, argument = FORMS[function](of, node, arguments)
        return RequestedAggregate(attrs.evolve(call, distinct=is_distinct), (argument,), None)
    separator = ","
    if function is AggregateFunction.LISTAGG and len(arguments) == 2:
        if not arguments[1].is_string:
            raise text.refused(arguments[1], "The separator of LISTAGG must be written out.", "Write a text.")
        separator = arguments.pop().name
    if function is AggregateFunction.COUNT and len(arguments) == 1 and isinstance(arguments[0], exp.Star):
        call = AggregateCall(function=function, type=DataType.of(Kind.BIGINT).not_null())
        return RequestedAggregate(call, (), None)
    if len(arguments) != 1:
        what = f"Invalid number of arguments to function '{_name(node)}': {len(arguments)}."
        now = "Count ROW(a, b) or a text of them." if function is AggregateFunction.COUNT else ""
        raise text.error(node, what, now)
    _check_order(of, node, arguments[0])
    argument = of.typed(arguments[0])
    source = argument.type
    call = AggregateCall(
        function=function,
        type=of.located(node, lambda: aggregate_type(function, source, _name(node))),
        argument_type=source,
        distinct=is_distinct and function not in (AggregateFunction.MIN, AggregateFunction.MAX),
        separator=separator,
    )
    return RequestedAggregate(call, (argument,), None)


def _user_wanted(of: ExpressionCompiler, node: exp.Anonymous, named: NamedFunction) -> RequestedAggregate:
    given, is_distinct = _given(node)
    for one in given:
        _check_order(of, node, one)
        if isinstance(one, exp.Star):
            what = f"{of.text.shown(node)}: only COUNT takes a star."
            raise of.text.error(node, what, "Give it the columns.")
    compiled = [of.compile(one) for one in given]
    return of.located(node, lambda: user_aggregate(named, compiled, distinct=is_distinct))


def user_aggregate(
    named: NamedFunction, arguments: Sequence[TypedExpression], *, distinct: bool = False
) -> RequestedAggregate:
    """Return the call of a user-defined aggregate function.

    Args:
        named: Function made by ``udaf``.
        arguments: Its arguments.
        distinct: Whether DISTINCT is given.

    Raises:
        CallError: The arguments do not fit.
    """
    given = user_arguments(named, arguments)
    call = AggregateCall(
        function=AggregateFunction.USER,
        type=named.function.call_type,
        distinct=distinct,
        user=UserAggregate.of(named, tuple(one.type for one in given)),
    )
    return RequestedAggregate(call, given, None)


def _given(node: exp.Anonymous) -> tuple[list[exp.Expr], bool]:
    """Return the arguments of a call, and whether DISTINCT is given."""
    arguments = list(node.expressions)
    if arguments and isinstance(arguments[0], exp.Distinct):
        return [*arguments[0].expressions, *arguments[1:]], True
    return arguments, False


def _check_order(of: ExpressionCompiler, node: exp.Anonymous, argument: exp.Expr) -> None:
    if isinstance(argument, exp.Order | exp.Limit):
        what = f"Flink does not sort the values of {_name(node)}: it ignores ORDER BY, or refuses it."
        raise of.text.refused(node, what, "Leave it out, and sort the result with ARRAY_SORT if it must be sorted.")
