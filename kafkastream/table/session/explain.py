"""Query plans as text, for ``EXPLAIN``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kafkastream.secret_masking import masked
from kafkastream.sql.plan.expression import TypedExpression
from kafkastream.sql.plan.relations import Explode, Project, Relation, Scan, Stateful, Union, Values
from kafkastream.sql.plan.spark_text import SparkPrinter
from kafkastream.table.session.session_planner import Plan, SessionPlanner

__all__ = ["explain_plans"]


def explain_plans(planner: SessionPlanner, plans: Sequence[Plan]) -> str:
    """Return the plans as a tree, the sink first; each relation has its columns and the row kinds of its changelog.

    Raises:
        KafkastreamError: The job of these plans would be refused before it starts.
    """
    planner.graph(plans)
    lines = ["== Optimized Physical Plan =="]
    for plan in plans:
        table = plan.target.table
        name = "collect" if table is None else table.identifier
        lines.append(f"Sink(table=[{name}], fields=[{_names(plan.relation)}])")
        lines.extend(_lines(plan.relation, 1))
    return masked("\n".join(lines))


def _lines(relation: Relation, depth: int) -> Iterator[str]:
    yield f"{'   ' * (depth - 1)}+- {_shown(relation)}, changelogMode=[{_kinds(relation)}]"
    for one in relation.inputs:
        yield from _lines(one, depth + 1)


def _shown(relation: Relation) -> str:
    match relation:
        case Scan():
            return f"TableSourceScan(table=[[{relation.table.identifier}]], fields=[{_names(relation)}])"
        case Values():
            return f"Values(rows={len(relation.rows)}, fields=[{_names(relation)}])"
        case Project():
            where = "" if relation.condition is None else f", where=[{_named(relation.condition, relation.input)}]"
            columns = ", ".join(
                f"{_named(one, relation.input)} AS {field.name}"
                for one, field in zip(relation.expressions, relation.fields, strict=True)
            )
            return f"Calc(select=[{columns}]{where})"
        case Explode():
            return f"Correlate(unnest=[{_named(relation.array, relation.input)}])"
        case Union():
            return f"Union(all=[true], fields=[{_names(relation)}])"
        case Stateful():
            keys = "; ".join(
                ", ".join(one.fields[place].name for place in places)
                for one, places in zip(relation.merged, relation.keys, strict=True)
            )
            return f"{type(relation.operation).__name__}(key=[{keys}], fields=[{_names(relation)}])"


def _named(expression: TypedExpression, relation: Relation) -> str:
    """Return an expression with the names of columns and functions as users wrote them."""
    return SparkPrinter(lambda place: relation.fields[place].name, kept="").text(expression)


def _kinds(relation: Relation) -> str:
    return ",".join(
        "I" if kind.name == "INSERT" else kind.name[0] + kind.name.partition("_")[2][:1]
        for kind in sorted(relation.changelog.kinds, key=lambda kind: kind.value)
    )


def _names(relation: Relation) -> str:
    return ", ".join(field.name for field in relation.fields)
