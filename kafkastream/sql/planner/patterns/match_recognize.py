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
from kafkastream.sql.planner.patterns.match_conditions import InputColumns, match_condition, measured
from kafkastream.sql.planner.patterns.match_expressions import MATCH_TIME, VariableCompiler

if TYPE_CHECKING:
    from kafkastream.sql.parser.parsed_query import QueryText
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["matched"]

_SIDES = {"PAST": SkipTo.PAST_LAST_ROW, "NEXT": SkipTo.NEXT_ROW, "FIRST": SkipTo.FIRST, "LAST": SkipTo.LAST}


def matched(planner: SelectPlanner, rows: PlannedRows, match: exp.MatchRecognize) -> PlannedRows:
    """Plan the matches of a pattern: a row for each, of the columns of PARTITION BY and the measures."""
    text, relation = planner.text, rows.relation
    for clause in ("measures", "define"):
        if not match.args.get(clause):
            what = f"{clause.upper()} is missing in MATCH_RECOGNIZE."
            raise text.error(match, what, "As MEASURES A.x AS x, and DEFINE A AS A.x > 1 behind the PATTERN.")
    if relation.changelog is not ChangelogMode.APPEND:
        what = "Match Recognize doesn't support consuming update and delete changes."
        raise text.refused(match, what, "Read an append-only table.")
    keys = _keys(planner, relation, match)
    time, orders = _order(planner, relation, match)
    names = _names(text, match)
    columns = InputColumns(references(relation))
    of = VariableCompiler(planner, relation.fields, names)
    variables = _variables(planner, match, of, columns)
    measures = _measures(planner, match, VariableCompiler(planner, relation.fields, names), columns, len(keys))
    _check_measures(text, match, [relation.fields[at].name for at in keys])
    skip, skip_variable = _skip(text, match, names)
    is_event = relation.fields[time].time is TimeAttribute.EVENT
    operation = MatchRecognize(
        variables=variables,
        keys=keys,
        measures=tuple(measures.readings),
        time=TimeAttribute.EVENT if is_event else TimeAttribute.PROCESSING,
        column=time if is_event else None,
        order=orders,
        within_ms=interval_ms(text, match.args["within"]) if match.args.get("within") else 0,
        skip=skip,
        skip_variable=skip_variable,
    )
    computed = [f"$match{at}" for at in range(len(relation.fields), len(columns.every))]
    before = projected(relation, columns.every, [*(field.name for field in relation.fields), *computed])
    key_fields = [attrs.evolve(relation.fields[at], time=None) for at in keys]
    found = Stateful(
        merged=(before,), keys=(keys,), operation=operation, fields=(*key_fields, *measures.readings.values())
    )
    expressions = [*(reference(found, at) for at in range(len(keys))), *measures.expressions]
    every = [*(field.name for field in key_fields), *measures.names]
    return PlannedRows(projected(found, expressions, every, proctimes=measures.proctimes))


def _keys(planner: SelectPlanner, relation: Relation, match: exp.MatchRecognize) -> tuple[int, ...]:
    of = planner.compiler(Scope.of(relation.fields))
    found = []
    for node in match.args.get("partition_by") or ():
        key = of.compile(node)
        if not isinstance(key, ColumnRef):
            raise planner.text.error(node, "PARTITION BY takes columns.", "Compute it in a query in FROM.")
        found.append(key.place)
    return tuple(dict.fromkeys(found))


def _order(planner: SelectPlanner, relation: Relation, match: exp.MatchRecognize) -> tuple[int, tuple[Order, ...]]:
    """Return the position of the time column, and the order of rows of the same time."""
    text, of = planner.text, planner.compiler(Scope.of(relation.fields))
    ordered = match.args["order"].expressions if match.args.get("order") else []
    orders: list[Order] = []
    for one in ordered:
        text.only(one, "this", "desc", "nulls_first")
        key = of.compile(one.this)
        if not isinstance(key, ColumnRef):
            raise text.error(one, "ORDER BY takes columns.", "Compute it in a query in FROM.")
        orders.append(Order(key.place, bool(one.args.get("desc")), not one.args.get("nulls_first")))
    if not orders or relation.fields[orders[0].column].time is None:
        what = "You must specify either rowtime or proctime for order by as the first one."
        raise text.error(ordered[0] if ordered else match, what, "ORDER BY the column with the watermark.")
    if orders[0].descending:
        what = "Primary sort order of a streaming table must be ascending on time."
        raise text.error(ordered[0], what, "Leave DESC out.")
    return orders[0].column, tuple(orders[1:])


def _variables(
    planner: SelectPlanner, match: exp.MatchRecognize, of: VariableCompiler, columns: InputColumns
) -> tuple[PatternVariable, ...]:
    text, pattern = planner.text, match.args["pattern"].expressions
    defined = {one.alias: one.this for one in match.args.get("define") or ()}
    variables: list[PatternVariable] = []
    for number, node in enumerate(pattern):
        condition = defined.get(node.name)
        variable = _quantified(text, node, variables)
        if condition is not None:
            variable = attrs.evolve(variable, condition=match_condition(planner, condition, of, number, columns))
        variables.append(variable)
    last = variables[-1]
    if _loops_greedily(last):
        what = (
            "Greedy quantifiers are not allowed as the last element of a Pattern yet. "
            "Finish your pattern with either a simple variable or reluctant quantifier."
        )
        raise text.error(pattern[-1], what, f"As {last.name}+?, or with a variable behind it.")
    if all(one.least == 0 for one in variables):
        what = (
            "Patterns that can produce empty matches are not supported. There must be at least one non-optional state."
        )
        raise text.error(pattern[0], what, f"As {variables[0].name}+.")
    return tuple(variables)


def _loops_greedily(variable: PatternVariable) -> bool:
    """Return whether a variable has Flink's property GREEDY, which ``?`` and ``{n}`` do not have."""
    return variable.is_greedy and variable.most != variable.least and (variable.least, variable.most) != (0, 1)


def _quantified(text: QueryText, node: exp.Expr, before: Sequence[PatternVariable]) -> PatternVariable:
    """Return a variable with its bounds.

    Raises:
        DefinitionError: Flink refuses its quantifier, alone or behind the variables before it.
    """
    least, most, is_reluctant = node.meta[LEAST], node.meta[MOST], node.meta[RELUCTANT]
    name = node.name
    if least is None:
        what = "The from should be a positive number greater than 0: Flink has no {,m}."
        raise text.error(node, what, f"Write {name}{{0,{most}}}.")
    if most is not None and most < max(least, 1):
        what = "The to should be a number greater than or equal to from, which is at least 1."
        raise text.error(node, what, f"As {name}{{1,2}}.")
    if is_reluctant and (least, most) == (0, 1):
        what = "Reluctant optional variables are not supported yet."
        raise text.error(node, what, f"Write {name}?, or {name}*?.")
    if least == 0 and most in (None, 1) and before and _loops_greedily(before[-1]):
        what = "Optional pattern cannot be preceded by greedy pattern"
        raise text.error(node, what, f"Make the variable before it reluctant, as {before[-1].name}+?.")
    return PatternVariable(name, least, most, is_greedy=not is_reluctant)


def _names(text: QueryText, match: exp.MatchRecognize) -> list[str]:
    """Return the names of the variables."""
    nodes = match.args["pattern"].expressions
    names = [one.name for one in nodes]
    for at, node in enumerate(nodes):
        if node.name in names[:at]:
            what = "Pattern variables must be unique. That might change in the future."
            raise text.error(node, what, "Give each variable a name of its own, with the same condition.")
    seen: set[str] = set()
    for one in match.args.get("define") or ():
        if one.alias in seen:
            raise text.error(one, f"Pattern variable '{one.alias}' has already been defined", "Join both by AND.")
        seen.add(one.alias)
    return names


def _skip(text: QueryText, match: exp.MatchRecognize, names: Sequence[str]) -> tuple[SkipTo, int | None]:
    after = match.args.get("after")
    if after is None:
        return SkipTo.NEXT_ROW, None
    to = _SIDES[after.this.name]
    if to in (SkipTo.PAST_LAST_ROW, SkipTo.NEXT_ROW):
        return to, None
    name = after.expression.name
    if name not in names:
        what = f"Unknown pattern '{name}'"
        raise text.error(after.expression, what, f"Skip to one of {', '.join(names)}.")
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
    for one in match.args["measures"]:
        if one.alias in seen:
            what = f"Columns ambiguously defined: {{{one.alias}}}"
            raise text.error(
                one, what, "Give each measure a name that no other one has, and no column of PARTITION BY."
            )
        seen.add(one.alias)


def _measures(
    planner: SelectPlanner, match: exp.MatchRecognize, of: VariableCompiler, columns: InputColumns, keys: int
) -> _Measures:
    """Compile MEASURES: rows of a match give values, from which an expression computes the measure."""
    nodes = match.args.get("measures") or []
    values = [_proctime(planner) if is_call(one.this, "MATCH_PROCTIME") else of.compile(one.this) for one in nodes]
    fields: dict[Reading, Field] = {}
    places: dict[int, int] = {}
    for value in values:
        for one in references_in(value):
            is_time = one.place == MATCH_TIME
            reading = MatchTime() if is_time else measured(planner, of, one.place, columns)
            field = Field(f"$measure{len(fields)}", one.type, TimeAttribute.EVENT if is_time else None)
            fields.setdefault(reading, field)
            places[one.place] = keys + list(fields).index(reading)
    clocks = frozenset(keys + at for at, one in enumerate(nodes) if is_call(one.this, "MATCH_PROCTIME"))
    return _Measures([one.alias for one in nodes], [renumbered(one, places) for one in values], fields, clocks)


def _proctime(planner: SelectPlanner) -> TypedExpression:
    return planner.compiler(Scope((), ())).compile(exp.Anonymous(this="PROCTIME", expressions=[]))
