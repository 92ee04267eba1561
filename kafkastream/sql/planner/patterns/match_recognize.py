"""``MATCH_RECOGNIZE``: patterns in the rows of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, final

import attrs
from sqlglot import exp

from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.expressions.column_scope import Scope
from kafkastream.sql.expressions.function_calls import is_call
from kafkastream.sql.expressions.intervals import interval_ms
from kafkastream.sql.parser.match_syntax import LEAST, MOST, RELUCTANT
from kafkastream.sql.plan.expression import ColumnRef, TypedExpression, references_in, renumbered
from kafkastream.sql.plan.match_operation import (
    MatchRecognize,
    MatchTime,
    PatternVariable,
    Reading,
    SkipTo,
)
from kafkastream.sql.plan.operations import Order, TimeAttribute
from kafkastream.sql.plan.plan_builder import PlannedRows, projected, reference, references
from kafkastream.sql.plan.relations import Field, Relation, Stateful
from kafkastream.sql.planner.patterns.match_conditions import InputColumns, column_reading, compile_condition
from kafkastream.sql.planner.patterns.match_expressions import MATCH_TIME, VariableCompiler

if TYPE_CHECKING:
    from kafkastream.sql.parser.parsed_query import QueryText
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["plan_match_recognize"]

_SKIP_STRATEGIES = {"PAST": SkipTo.PAST_LAST_ROW, "NEXT": SkipTo.NEXT_ROW, "FIRST": SkipTo.FIRST, "LAST": SkipTo.LAST}


def plan_match_recognize(planner: SelectPlanner, rows: PlannedRows, match: exp.MatchRecognize) -> PlannedRows:
    """Plan the matches of a pattern: a row for each, of the columns of PARTITION BY and the measures."""
    text, relation = planner.text, rows.relation
    for clause in ("measures", "define"):
        if not match.args.get(clause):
            message = f"{clause.upper()} is missing in MATCH_RECOGNIZE."
            raise text.error(match, message, "As MEASURES A.x AS x, and DEFINE A AS A.x > 1 behind the PATTERN.")
    if relation.changelog is not ChangelogMode.APPEND:
        message = "Match Recognize doesn't support consuming update and delete changes."
        raise text.refused(match, message, "Read an append-only table.")
    keys = _partition_columns(planner, relation, match)
    time_column, orders = _compile_order_by(planner, relation, match)
    names = _variable_names(text, match)
    columns = InputColumns(references(relation))
    compiler = VariableCompiler(planner, relation.fields, names)
    variables = _compile_variables(planner, match, compiler, columns)
    measures = _compile_measures(planner, match, VariableCompiler(planner, relation.fields, names), columns, len(keys))
    _check_measures(text, match, [relation.fields[key].name for key in keys])
    skip, skip_variable = _skip_strategy(text, match, names)
    is_event = relation.fields[time_column].time is TimeAttribute.EVENT
    operation = MatchRecognize(
        variables=variables,
        keys=keys,
        measures=tuple(measures.readings),
        time=TimeAttribute.EVENT if is_event else TimeAttribute.PROCESSING,
        column=time_column if is_event else None,
        order=orders,
        within_ms=interval_ms(text, match.args["within"]) if match.args.get("within") else 0,
        skip=skip,
        skip_variable=skip_variable,
    )
    computed = [f"$match{number}" for number in range(len(relation.fields), len(columns.expressions))]
    input_relation = projected(relation, columns.expressions, [*(field.name for field in relation.fields), *computed])
    key_fields = [attrs.evolve(relation.fields[key], time=None) for key in keys]
    matches = Stateful(
        merged=(input_relation,), keys=(keys,), operation=operation, fields=(*key_fields, *measures.readings.values())
    )
    expressions = [*(reference(matches, index) for index in range(len(keys))), *measures.expressions]
    output_names = [*(field.name for field in key_fields), *measures.names]
    return PlannedRows(projected(matches, expressions, output_names, proctimes=measures.proctimes))


def _partition_columns(planner: SelectPlanner, relation: Relation, match: exp.MatchRecognize) -> tuple[int, ...]:
    compiler = planner.compiler(Scope.of(relation.fields))
    columns = []
    for node in match.args.get("partition_by") or ():
        key = compiler.compile(node)
        if not isinstance(key, ColumnRef):
            raise planner.text.error(node, "PARTITION BY takes columns.", "Compute it in a query in FROM.")
        columns.append(key.place)
    return tuple(dict.fromkeys(columns))


def _compile_order_by(
    planner: SelectPlanner, relation: Relation, match: exp.MatchRecognize
) -> tuple[int, tuple[Order, ...]]:
    """Return the position of the time column, and the order of rows of the same time."""
    text, compiler = planner.text, planner.compiler(Scope.of(relation.fields))
    ordered = match.args["order"].expressions if match.args.get("order") else []
    orders: list[Order] = []
    for node in ordered:
        text.only(node, "this", "desc", "nulls_first")
        key = compiler.compile(node.this)
        if not isinstance(key, ColumnRef):
            raise text.error(node, "ORDER BY takes columns.", "Compute it in a query in FROM.")
        orders.append(Order(key.place, bool(node.args.get("desc")), not node.args.get("nulls_first")))
    if not orders or relation.fields[orders[0].column].time is None:
        message = "You must specify either rowtime or proctime for order by as the first one."
        raise text.error(ordered[0] if ordered else match, message, "ORDER BY the column with the watermark.")
    if orders[0].descending:
        message = "Primary sort order of a streaming table must be ascending on time."
        raise text.error(ordered[0], message, "Leave DESC out.")
    return orders[0].column, tuple(orders[1:])


def _compile_variables(
    planner: SelectPlanner, match: exp.MatchRecognize, compiler: VariableCompiler, columns: InputColumns
) -> tuple[PatternVariable, ...]:
    text, pattern = planner.text, match.args["pattern"].expressions
    defined = {definition.alias: definition.this for definition in match.args.get("define") or ()}
    variables: list[PatternVariable] = []
    for number, node in enumerate(pattern):
        condition = defined.get(node.name)
        variable = _quantified_variable(text, node, variables)
        if condition is not None:
            variable = attrs.evolve(
                variable, condition=compile_condition(planner, condition, compiler, number, columns)
            )
        variables.append(variable)
    last = variables[-1]
    if _loops_greedily(last):
        message = (
            "Greedy quantifiers are not allowed as the last element of a Pattern yet. "
            "Finish your pattern with either a simple variable or reluctant quantifier."
        )
        raise text.error(pattern[-1], message, f"As {last.name}+?, or with a variable behind it.")
    if all(variable.least == 0 for variable in variables):
        message = (
            "Patterns that can produce empty matches are not supported. There must be at least one non-optional state."
        )
        raise text.error(pattern[0], message, f"As {variables[0].name}+.")
    return tuple(variables)


def _loops_greedily(variable: PatternVariable) -> bool:
    """Return whether a variable has Flink's property GREEDY, which ``?`` and ``{n}`` do not have."""
    return variable.is_greedy and variable.most != variable.least and (variable.least, variable.most) != (0, 1)


def _quantified_variable(text: QueryText, node: exp.Expr, preceding: Sequence[PatternVariable]) -> PatternVariable:
    """Return a variable with its bounds.

    Raises:
        DefinitionError: Flink refuses its quantifier, alone or behind the variables before it.
    """
    least, most, is_reluctant = node.meta[LEAST], node.meta[MOST], node.meta[RELUCTANT]
    name = node.name
    if least is None:
        message = "The from should be a positive number greater than 0: Flink has no {,m}."
        raise text.error(node, message, f"Write {name}{{0,{most}}}.")
    if most is not None and most < max(least, 1):
        message = "The to should be a number greater than or equal to from, which is at least 1."
        raise text.error(node, message, f"As {name}{{1,2}}.")
    if is_reluctant and (least, most) == (0, 1):
        message = "Reluctant optional variables are not supported yet."
        raise text.error(node, message, f"Write {name}?, or {name}*?.")
    if least == 0 and most in (None, 1) and preceding and _loops_greedily(preceding[-1]):
        message = "Optional pattern cannot be preceded by greedy pattern"
        raise text.error(node, message, f"Make the variable before it reluctant, as {preceding[-1].name}+?.")
    return PatternVariable(name, least, most, is_greedy=not is_reluctant)


def _variable_names(text: QueryText, match: exp.MatchRecognize) -> list[str]:
    """Return the names of the variables."""
    nodes = match.args["pattern"].expressions
    names = [node.name for node in nodes]
    for index, node in enumerate(nodes):
        if node.name in names[:index]:
            message = "Pattern variables must be unique. That might change in the future."
            raise text.error(node, message, "Give each variable a name of its own, with the same condition.")
    seen: set[str] = set()
    for definition in match.args.get("define") or ():
        if definition.alias in seen:
            raise text.error(
                definition, f"Pattern variable '{definition.alias}' has already been defined", "Join both by AND."
            )
        seen.add(definition.alias)
    return names


def _skip_strategy(text: QueryText, match: exp.MatchRecognize, names: Sequence[str]) -> tuple[SkipTo, int | None]:
    after = match.args.get("after")
    if after is None:
        return SkipTo.NEXT_ROW, None
    to = _SKIP_STRATEGIES[after.this.name]
    if to in (SkipTo.PAST_LAST_ROW, SkipTo.NEXT_ROW):
        return to, None
    name = after.expression.name
    if name not in names:
        message = f"Unknown pattern '{name}'"
        raise text.error(after.expression, message, f"Skip to one of {', '.join(names)}.")
    return to, names.index(name)


@final
class _Measures(NamedTuple):
    """Measures of a match.

    Args:
        names: Names of the measures.
        expressions: Their values, over the key and the readings.
        readings: Values that they need, with the column of each.
        proctimes: Positions of those that are processing time.
    """

    names: list[str]
    expressions: list[TypedExpression]
    readings: Mapping[Reading, Field]
    proctimes: frozenset[int]


def _check_measures(text: QueryText, match: exp.MatchRecognize, keys: Sequence[str]) -> None:
    seen = set(keys)
    for measure in match.args["measures"]:
        if measure.alias in seen:
            message = f"Columns ambiguously defined: {{{measure.alias}}}"
            raise text.error(
                measure, message, "Give each measure a name that no other one has, and no column of PARTITION BY."
            )
        seen.add(measure.alias)


def _compile_measures(
    planner: SelectPlanner, match: exp.MatchRecognize, compiler: VariableCompiler, columns: InputColumns, keys: int
) -> _Measures:
    """Compile MEASURES: each is an expression over readings, which are values of the rows of a match."""
    nodes = match.args.get("measures") or []
    values = [
        _compile_proctime(planner) if is_call(node.this, "MATCH_PROCTIME") else compiler.compile(node.this)
        for node in nodes
    ]
    fields: dict[Reading, Field] = {}
    indexes: dict[int, int] = {}
    for value in values:
        for column in references_in(value):
            is_time = column.place == MATCH_TIME
            reading = MatchTime() if is_time else column_reading(planner, compiler, column.place, columns)
            field = Field(f"$measure{len(fields)}", column.type, TimeAttribute.EVENT if is_time else None)
            fields.setdefault(reading, field)
            indexes[column.place] = keys + list(fields).index(reading)
    clocks = frozenset(keys + index for index, node in enumerate(nodes) if is_call(node.this, "MATCH_PROCTIME"))
    return _Measures([node.alias for node in nodes], [renumbered(value, indexes) for value in values], fields, clocks)


def _compile_proctime(planner: SelectPlanner) -> TypedExpression:
    return planner.compiler(Scope((), ())).compile(exp.Anonymous(this="PROCTIME", expressions=[]))
