"""Frames of OVER: partition, order and bounds, as Flink supports them on streams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs
from sqlglot import exp

from kafkastream.sql.expressions.expression_compiler import ExpressionCompiler
from kafkastream.sql.expressions.function_calls import is_call
from kafkastream.sql.expressions.intervals import interval_ms
from kafkastream.sql.plan.expression import ColumnRef, TypedExpression
from kafkastream.sql.plan.operations import TimeAttribute

if TYPE_CHECKING:
    from kafkastream.sql.parser.parsed_query import QueryText

__all__ = ["Frame", "compile_frame", "inline_named_windows", "over_calls_in"]

_WITHOUT_FRAME = ("ROW_NUMBER", "RANK", "DENSE_RANK", "LAG")


@attrs.frozen
class Frame:
    """Rows that an aggregate with OVER takes.

    Args:
        partition: Expressions with the same values in all of them, in no order.
        order: Expression by which they are ordered.
        nulls_last: Whether NULL comes last in that order.
        time: Event time or processing time, if the expression is one.
        is_rows: Whether the frame counts rows, otherwise it is a range.
        preceding: Rows, or ms, that precede the row; None for all.
    """

    partition: frozenset[TypedExpression]
    order: TypedExpression
    nulls_last: bool
    time: TimeAttribute | None
    is_rows: bool
    preceding: int | None


def over_calls_in(node: exp.Expr) -> Iterator[exp.Window]:
    """Yield the outermost calls with OVER in an expression, without those in subqueries."""
    if isinstance(node, exp.Window):
        yield node
    elif not isinstance(node, exp.Query):
        for child in node.iter_expressions():
            yield from over_calls_in(child)


def compile_frame(compiler: ExpressionCompiler, node: exp.Window) -> Frame:
    """Compile the frame of a call with OVER; a named window has been written out before.

    Raises:
        DefinitionError: Flink cannot plan the frame.
        UnsupportedFeatureError: Flink can, and this package cannot.
    """
    text = compiler.text
    if node.args.get("alias"):
        raise text.error(node.args["alias"], f"Window '{node.alias}' not found", "Define it in the WINDOW clause.")
    is_rows, preceding = _frame_bounds(text, node)
    orders = node.args["order"].expressions if node.args.get("order") else []
    if len(orders) != 1:
        message = "The window can only be ordered by a single time column."
        raise text.error(node, message, "Write OVER (PARTITION BY k ORDER BY ts).")
    if orders[0].args.get("desc"):
        message = "The window can only be ordered in ASCENDING mode."
        raise text.error(orders[0], message, "Leave DESC out, or take the last rows by ROW_NUMBER() <= n.")
    order, time = _compile_order(compiler, orders[0].this)
    if time is None and preceding is not None:
        message = "Non-time attribute sort is not supported for bounded OVER window."
        raise text.error(orders[0], message, "Order by a time attribute, or leave the bounds out.")
    partition = frozenset(map(compiler.compile, node.args.get("partition_by") or ()))
    nulls_last = time is None and not orders[0].args.get("nulls_first")
    return Frame(partition, order, nulls_last, time, is_rows, preceding)


def _compile_order(compiler: ExpressionCompiler, node: exp.Expr) -> tuple[TypedExpression, TimeAttribute | None]:
    order = compiler.compile(node)
    if is_call(node, "PROCTIME"):
        return order, TimeAttribute.PROCESSING
    return order, compiler.scope.fields[order.place].time if isinstance(order, ColumnRef) else None


def _frame_bounds(text: QueryText, node: exp.Window) -> tuple[bool, int | None]:
    """Return whether a frame counts rows, and how many rows or ms precede the row in it."""
    spec = node.args.get("spec")
    name = node.this.name.upper()
    if spec is None:
        return name == "ROW_NUMBER", None
    if name in _WITHOUT_FRAME:
        message = f"ROW/RANGE not allowed with RANK, DENSE_RANK, ROW_NUMBER or LAG functions: {text.shown(node)}"
        raise text.error(node, message, "Leave the frame out.")
    kind, start = str(spec.args.get("kind")).upper(), spec.args.get("start")
    if kind not in {"ROWS", "RANGE"} or spec.args.get("exclude"):
        message = "A frame of OVER is in ROWS or RANGE, without EXCLUDE."
        raise text.error(node, message, "Write ROWS BETWEEN n PRECEDING AND CURRENT ROW.")
    is_current = spec.args.get("end") in (None, "CURRENT ROW")
    if not is_current or spec.args.get("start_side") != "PRECEDING":
        message = "OVER windows that begin at the row or do not end with it are not supported."
        raise text.error(node, message, "Write ROWS or RANGE BETWEEN ... PRECEDING AND CURRENT ROW.")
    is_rows = kind == "ROWS"
    return is_rows, None if start == "UNBOUNDED" else (_preceding_rows if is_rows else _preceding_ms)(text, start)


def _preceding_rows(text: QueryText, node: exp.Expr) -> int:
    if not (isinstance(node, exp.Literal) and node.is_int):
        raise text.error(node, "ROWS value must be a non-negative integral constant", "Write a whole number.")
    return int(node.name)


def _preceding_ms(text: QueryText, node: exp.Expr) -> int:
    if not isinstance(node, exp.Interval):
        message = "Data Type mismatch between ORDER BY and RANGE clause: the range of a time is an interval."
        raise text.error(node, message, "As RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW.")
    return interval_ms(text, node)


def inline_named_windows(text: QueryText, node: exp.Select) -> exp.Select:
    """Return a SELECT whose calls with OVER have their windows written out, instead of the names of the WINDOW clause.

    Raises:
        DefinitionError: A name is there twice, or a window has a part that its name has, too.
        UnsupportedFeatureError: A frame is added to a named window, which Flink would ignore.
    """
    if not node.args.get("windows"):
        return node
    select = node.copy()
    windows: dict[str, exp.Window] = {}
    for window in select.args["windows"]:
        name = window.this.name
        if name in windows:
            raise text.error(window.this, "Duplicate window names not allowed", "Give each a name of its own.")
        windows[name] = _inline_base_window(text, window, windows)
    select.set("windows", None)
    roots: Sequence[exp.Expr] = [*select.expressions, *filter(None, [select.args.get("qualify")])]
    for window in [over_call for root in roots for over_call in over_calls_in(root)]:
        _set_window_parts(window, _inline_base_window(text, window, windows))
    return select


def _set_window_parts(window: exp.Window, source: exp.Window) -> None:
    for part in ("partition_by", "order", "spec", "alias"):
        window.set(part, source.args.get(part))


def _inline_base_window(text: QueryText, window: exp.Window, windows: Mapping[str, exp.Window]) -> exp.Window:
    """Return a window with the parts of the named window that it refers to; unchanged if there is none of this name."""
    base = windows.get(window.alias)
    if base is None:
        return window
    for part, shown in (("partition_by", "PARTITION BY"), ("order", "ORDER BY"), ("spec", "ROWS or RANGE")):
        if window.args.get(part) and (part == "partition_by" or base.args.get(part)):
            message = f"{shown} not allowed with existing window reference"
            raise text.error(window, message, "Write it in one place.")
    if window.args.get("spec"):
        message = "Flink ignores a frame after the name of a window."
        raise text.refused(
            window, message, "Write the frame in the WINDOW clause, or write the whole window after OVER."
        )
    merged = window.copy()
    for part in ("partition_by", "order", "spec"):
        clause = base.args.get(part)
        if clause and not merged.args.get(part):
            merged.set(part, [node.copy() for node in clause] if isinstance(clause, list) else clause.copy())
    merged.set("alias", None)
    return merged
