"""Table functions of the user's in FROM: ``LATERAL TABLE(f(a)) AS t (b, c)``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
from sqlglot import exp

from kafkastream.sql.expressions.column_scope import Scope
from kafkastream.sql.expressions.function_calls import called_name
from kafkastream.sql.plan.expression import ColumnRef, TypedExpression
from kafkastream.sql.plan.plan_builder import PlannedRows, normalized, projected, reference, references
from kafkastream.sql.plan.relations import Explode, Field, Relation
from kafkastream.sql.plan.user_call import user_call
from kafkastream.sql.session_functions import NamedFunction
from kafkastream.sql.user_functions import FunctionKind

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["computed_first", "table_function", "without_column"]

_ROWS = "$rows"
"""Name of a column that only exists between two steps of a plan."""


def table_function(
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
    named = _function(planner, scope, call)
    of = planner.compiler(scope)
    arguments = [of.compile(argument) for argument in call.expressions]
    value = of.located(call, lambda: user_call(named, arguments))
    added = _columns(planner, node, named, outer=outer)
    relation, place = computed_first(normalized(rows.relation, planner.ttl_ms), value)
    exploded = Explode(
        input=relation,
        array=ColumnRef(place, value.type),
        outer=outer,
        fields=(*relation.fields, *added),
        changelog=relation.changelog,
    )
    return attrs.evolve(rows, relation=without_column(exploded, place)), scope.joined(Scope.of(added, node.alias))


def computed_first(relation: Relation, value: TypedExpression) -> tuple[Relation, int]:
    """Append a column with the result of a user-defined function, which is then called only once.

    Returns:
        The relation, and the position of the column.
    """
    place = len(relation.fields)
    names = [*(field.name for field in relation.fields), _ROWS]
    return projected(relation, [*references(relation), value], names), place


def without_column(relation: Relation, place: int) -> Relation:
    """Return a relation without one of its columns."""
    kept = [at for at in range(len(relation.fields)) if at != place]
    return projected(relation, [reference(relation, at) for at in kept], [relation.fields[at].name for at in kept])


def _function(planner: SelectPlanner, scope: Scope, call: exp.Anonymous) -> NamedFunction:
    text, named = planner.text, planner.compiler(scope).user_function(call)
    if named is None:
        what = f"No match found for function signature {called_name(call)}: no table function has this name."
        raise text.error(call, what, "Make one with udtf, and name it with create_temporary_function.")
    kind = named.function.kind
    if kind is not FunctionKind.TABLE:
        what = f"{named.name} is no table function, but a Python {kind.value}."
        now = "Call it in SELECT." if kind is FunctionKind.SCALAR else "Call it in SELECT ... GROUP BY."
        raise text.error(call, what, now if kind is not FunctionKind.TABLE_AGGREGATE else "Use Table.flat_aggregate.")
    for argument in call.expressions:
        if isinstance(argument, exp.Kwarg):
            what = f"Unsupported function signature: the arguments of {named.name} have no names, as in all Python functions."
            raise text.error(argument, what, "Give the values in their order.")
    return named


def _columns(planner: SelectPlanner, node: exp.Expr, named: NamedFunction, *, outer: bool) -> tuple[Field, ...]:
    """Return the columns that the function adds, with the names of the alias."""
    columns, names = named.function.result_type.fields, node.alias_column_names
    if names and len(names) != len(columns):
        what = (
            "List of column aliases must have same degree as table; table has "
            f"{len(columns)} columns ({', '.join(repr(one.name) for one in columns)}), whereas alias list has "
            f"{len(names)} columns"
        )
        raise planner.text.error(node, what, "Name each column.")
    return tuple(
        Field(names[at] if names else one.name, one.type.nullable() if outer else one.type)
        for at, one in enumerate(columns)
    )
