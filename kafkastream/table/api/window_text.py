"""Windows of the Table API as SQL."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from kafkastream.sql.expressions.aggregate_names import ROW_COUNT
from kafkastream.sql.quoting import quoted
from kafkastream.table.api.expression_tree import ExpressionNode, Text
from kafkastream.table.api.operation import ApiOperation
from kafkastream.table.api.operation_text import OverText
from kafkastream.table.window import GroupWindow, OverWindow

__all__ = ["grouped_by", "over_texts", "window_properties"]


def grouped_by(done: ApiOperation[Any], window: GroupWindow) -> str:
    """Return a group window as an entry of GROUP BY."""
    lengths = [
        re.sub(r"^(-?\d+) ROWS$", rf"{quoted(ROW_COUNT)}(\1)", one.text)
        for one in window.lengths
        if isinstance(one, Text)
    ]
    return f"{window.function}({done.writer().text(window.time)}, {', '.join(lengths)})"


def window_properties(window: GroupWindow, text: str) -> Mapping[tuple[str, str], str]:
    """Return the SQL of the properties of a group window, by alias and property.

    Args:
        window: Window.
        text: Its entry of GROUP BY.
    """
    arguments = text.removeprefix(window.function)
    parts = ("START", "END", "ROWTIME", "PROCTIME")
    return {(window.name, part): f"{window.function}_{part}{arguments}" for part in parts}


def over_texts(done: ApiOperation[Any], windows: Iterable[OverWindow]) -> Mapping[str, OverText]:
    """Return over windows by alias."""
    return {window.name: _over(done, window) for window in windows}


def _over(done: ApiOperation[Any], window: OverWindow) -> OverText:
    writer = done.writer()
    partition = f"PARTITION BY {', '.join(map(writer.text, window.partition))} " if window.partition else ""
    lower = writer.text(window.preceding)
    unit = "ROWS" if lower == "UNBOUNDED_ROW" or lower.endswith(" ROWS") else "RANGE"
    start = "UNBOUNDED" if lower.startswith("UNBOUNDED_") else lower.removesuffix(" ROWS")
    if window.following is not None and not _is_current(window.following, unit):
        what = f"the upper bound of a window of {unit.lower()} is CURRENT_{'ROW' if unit == 'ROWS' else 'RANGE'}"
        raise done.error(what, "Leave following(...) out.")
    order = writer.text(window.order)
    return OverText(f"{partition}ORDER BY {order}", f" {unit} BETWEEN {start} PRECEDING AND CURRENT ROW")


def _is_current(bound: ExpressionNode, unit: str) -> bool:
    return isinstance(bound, Text) and bound.text == ("CURRENT_ROW" if unit == "ROWS" else "CURRENT_RANGE")
