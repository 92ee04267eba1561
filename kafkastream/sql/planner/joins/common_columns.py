"""Common columns of a join: ``USING (k)`` and ``NATURAL``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import takewhile
from typing import TYPE_CHECKING, Final

import attrs
from sqlglot import exp

from kafkastream.sql.expressions.column_scope import NamedTable, Scope
from kafkastream.sql.plan.functions import call
from kafkastream.sql.plan.plan_builder import PlannedRows, projected, reference, references
from kafkastream.sql.table_options import did_you_mean

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["common_names", "equations", "with_common_columns", "with_side_aliases"]

_SIDE_ALIASES: Final = ("$left", "$right")


def common_names(planner: SelectPlanner, join: exp.Join, left: Scope, right: Scope) -> list[exp.Identifier]:
    """Return the names of the columns that both sides have in common, as far as the join compares them."""
    text, method, using = planner.text, join.args.get("method"), join.args.get("using")
    counts = [Counter(name for name, _ in scope.visible()) for scope in (left, right)]
    if method and (method != "NATURAL" or using or join.args.get("on")):
        message = "Cannot specify condition (NATURAL keyword, or ON or USING clause) following CROSS JOIN or NATURAL."
        raise text.error(join, message, "Write NATURAL JOIN, JOIN ... USING (k), or JOIN ... ON a.k = b.k.")
    if method:
        using = [exp.to_identifier(name, quoted=True) for name in counts[0] if name in counts[1]]
    names: dict[str, exp.Identifier] = {}
    for name in using or ():
        if not isinstance(name, exp.Identifier):
            raise text.error(name, "USING takes names of columns.", "Write USING (k).")
        missing = next((counter for counter in counts if name.name not in counter), None)
        if missing is not None:
            message = f"Column '{name.name}' not found on both sides of the join"
            raise text.error(name, message, did_you_mean(name.name, list(missing)))
        if max(counter[name.name] for counter in counts) > 1:
            message = f"Column name '{name.name}' in NATURAL join or USING clause is not unique on one side of join"
            raise text.error(name if using else join, message, "Write ON a.k = b.k.")
        names.setdefault(name.name, name)
    _check_chained_joins(planner, join, (left, right), names)
    return list(names.values())


def _check_chained_joins(
    planner: SelectPlanner, join: exp.Join, scopes: tuple[Scope, Scope], names: Mapping[str, exp.Identifier]
) -> None:
    """Refuse a common column of three tables in a RIGHT or FULL join: Calcite takes it from two of them only."""
    above = join.parent.args.get("joins") or () if join.parent else ()
    joins = [*takewhile(lambda earlier: earlier is not join, above), join]
    hidden = frozenset().union(*(source.hidden for scope in scopes for source in scope.sources))
    if hidden & set(names) and any((earlier.args.get("side") or "").upper() in ("RIGHT", "FULL") for earlier in joins):
        message = "RIGHT and FULL joins of three tables by the same common column are not supported."
        raise planner.text.refused(
            join, message, "Write ON COALESCE(a.k, b.k) = c.k, and COALESCE(a.k, b.k, c.k) AS k."
        )


def equations(names: list[exp.Identifier]) -> list[exp.Expr]:
    """Return the equations of common columns, over the scopes of ``with_side_aliases``."""
    return [
        exp.EQ(
            **{
                part: exp.column(name.copy(), table=side)
                for part, side in zip(("this", "expression"), _SIDE_ALIASES, strict=True)
            }
        )
        for name in names
    ]


def with_side_aliases(scopes: tuple[Scope, Scope], names: list[exp.Identifier]) -> tuple[Scope, Scope]:
    """Return the scopes of a join's sides, with aliases by which the equations of common columns refer to them."""
    left, right = (
        attrs.evolve(scope, sources=(*scope.sources, _alias_common_columns(scope, side, names)))
        for scope, side in zip(scopes, _SIDE_ALIASES, strict=True)
    )
    return left, right


def _alias_common_columns(scope: Scope, alias: str, names: list[exp.Identifier]) -> NamedTable:
    wanted = {name.name for name in names}
    columns = tuple((name, index) for name, index in scope.visible() if name in wanted)
    return NamedTable(alias, columns, hidden=frozenset(wanted))


def with_common_columns(
    planner: SelectPlanner, rows: PlannedRows, scopes: tuple[Scope, Scope], names: list[exp.Identifier]
) -> tuple[PlannedRows, Scope]:
    """Return the rows of a join with its common columns: first in ``*``, and the only ones that names alone mean."""
    relation, width = rows.relation, len(scopes[0].fields)
    both = attrs.evolve(scopes[0].joined(scopes[1]), fields=relation.fields)
    if not names:
        return rows, both
    indexes = [dict(scope.visible()) for scope in scopes]
    columns = references(relation)
    for name in names:
        sides = (reference(relation, indexes[0][name.name]), reference(relation, indexes[1][name.name] + width))
        columns.append(call("COALESCE", *sides))
    shown = tuple(name.name for name in names)
    wider = projected(relation, columns, [*(field.name for field in relation.fields), *shown])
    common = NamedTable("", tuple((name, len(relation.fields) + offset) for offset, name in enumerate(shown)))
    others = (attrs.evolve(source, hidden=source.hidden.union(shown)) for source in both.sources)
    return attrs.evolve(rows, relation=wider), Scope(wider.fields, (common, *others))
