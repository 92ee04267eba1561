"""User-defined table functions in FROM: ``LATERAL TABLE(f(a)) AS t (b, c)``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs
from sqlglot import exp

from kafkastream.sql.expressions.column_scope import Scope
from kafkastream.sql.expressions.function_calls import called_name
from kafkastream.sql.plan.expression import ColumnRef, TypedExpression, UserCall
from kafkastream.sql.plan.plan_builder import PlannedRows, normalized, projected, reference, references
from kafkastream.sql.plan.relations import Explode, Field, Relation
from kafkastream.sql.plan.user_call import user_call
from kafkastream.sql.session_functions import NamedFunction
from kafkastream.sql.user_functions import FunctionKind

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["plan_table_function", "with_computed_column", "with_function_rows", "without_column"]

_ROWS = "$rows"
"""Name of a column that only exists between two steps of a plan."""


def plan_table_function(
    planner: SelectPlanner, rows: PlannedRows, scope: Scope, node: exp.Expr, *, outer: bool
) -> tuple[PlannedRows, Scope]:
    """Plan ``[LATERAL] TABLE(f(a))``: each row once per row of the function's result, with its columns appended.

    Args:
        planner: Planner of the query.
        rows: Rows on which the function is called.
        scope: Scope of its arguments.
        node: Entry of FROM, with its alias.
        outer: Whether a row for which the function gives none is kept, with NULL.
    """
    call = node.find(exp.Anonymous)
    assert call is not None
    named = _find_table_function(planner, scope, call)
    compiler = planner.compiler(scope)
    arguments = [compiler.compile(argument) for argument in call.expressions]
    value = compiler.located(call, lambda: user_call(named, arguments))
    _check_alias(planner, node, named)
    result = with_function_rows(rows, value, node.alias_column_names, planner.ttl_ms, outer=outer)
    added = result.relation.fields[len(rows.relation.fields) :]
    return result, scope.joined(Scope.of(added, node.alias))


def with_function_rows(
    rows: PlannedRows, call: UserCall, names: Sequence[str] = (), ttl_ms: int = 0, *, outer: bool = False
) -> PlannedRows:
    """Return each row once per row of a table function's result, with its columns appended.

    Args:
        rows: Rows on which the function is called.
        call: Call of the function (``user_call``), over the columns of the rows.
        names: Names of its columns; none for those of its result type.
        ttl_ms: Time without a change after which state expires, in ms; 0 for never.
        outer: Whether a row for which the function gives none is kept, with NULL.
    """
    relation, array_column = with_computed_column(normalized(rows.relation, ttl_ms), call)
    columns = call.type.parts[0].fields
    exploded = Explode(
        input=relation,
        array=ColumnRef(array_column, call.type),
        outer=outer,
        fields=(
            *relation.fields,
            *(
                Field(name, column.type.nullable() if outer else column.type)
                for name, column in zip(names or [column.name for column in columns], columns, strict=True)
            ),
        ),
        changelog=relation.changelog,
    )
    return attrs.evolve(rows, relation=without_column(exploded, array_column))


def with_computed_column(relation: Relation, value: TypedExpression) -> tuple[Relation, int]:
    """Append a column with the result of a user-defined function, which is then called only once.

    Returns:
        The relation, and the position of the column.
    """
    column = len(relation.fields)
    names = [*(field.name for field in relation.fields), _ROWS]
    return projected(relation, [*references(relation), value], names), column


def without_column(relation: Relation, column: int) -> Relation:
    """Return a relation without one of its columns."""
    remaining = [index for index in range(len(relation.fields)) if index != column]
    return projected(
        relation,
        [reference(relation, index) for index in remaining],
        [relation.fields[index].name for index in remaining],
    )


def _find_table_function(planner: SelectPlanner, scope: Scope, call: exp.Anonymous) -> NamedFunction:
    text, named = planner.text, planner.compiler(scope).user_function(call)
    if named is None:
        message = f"No match found for function signature {called_name(call)}: no table function has this name."
        raise text.error(call, message, "Make one with udtf, and name it with create_temporary_function.")
    kind = named.function.kind
    if kind is not FunctionKind.TABLE:
        message = f"{named.name} is not a table function but a Python {kind.value}."
        now = "Call it in SELECT." if kind is FunctionKind.SCALAR else "Call it in SELECT ... GROUP BY."
        raise text.error(
            call, message, now if kind is not FunctionKind.TABLE_AGGREGATE else "Use Table.flat_aggregate."
        )
    for argument in call.expressions:
        if isinstance(argument, exp.Kwarg):
            message = f"Unsupported function signature: the arguments of {named.name} have no names, as in all Python functions."
            raise text.error(argument, message, "Give the values in their order.")
    return named


def _check_alias(planner: SelectPlanner, node: exp.Expr, named: NamedFunction) -> None:
    """Check that the alias names all columns of the function, or none."""
    columns, names = named.function.result_type.fields, node.alias_column_names
    if names and len(names) != len(columns):
        message = (
            "List of column aliases must have same degree as table; table has "
            f"{len(columns)} columns ({', '.join(repr(column.name) for column in columns)}), whereas alias list has "
            f"{len(names)} columns"
        )
        raise planner.text.error(node, message, "Name each column.")
