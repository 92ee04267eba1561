"""The text that says what an operation's state depends on: the operation, and all that is computed below it.

A checkpoint keeps this text, and a changed query is compared with it. So a change of what is printed here refuses every
query that has state: ``tests/unit/sql/test_state_descriptions.py`` holds it fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from kafkastream.sql.query.operations import (
    AggregateCall,
    Deduplicate,
    GroupAggregate,
    IntervalJoin,
    Join,
    Materialize,
    Normalize,
    Operation,
    SessionAggregate,
    TemporalJoin,
    TopN,
    WindowAggregate,
)
from kafkastream.sql.query.relations import Explode, Project, Relation, Scan, Stateful, Union, Values

__all__ = ["state_description"]


def state_description(stateful: Stateful, reads: Callable[[Scan], str]) -> str:
    """Describe an operation and everything below it, one line each, inputs indented below their consumer.

    Args:
        stateful: The operation.
        reads: Says what a table reads; its name may change.
    """
    return "\n".join(_lines(stateful, reads, 0))


def _lines(relation: Relation, reads: Callable[[Scan], str], depth: int) -> Iterator[str]:
    what = f"Scan {reads(relation)} {_scan(relation)}" if isinstance(relation, Scan) else _line(relation)
    yield "  " * depth + what
    for taken in relation.inputs:
        yield from _lines(taken, reads, depth + 1)


def _line(relation: Values | Project | Explode | Union | Stateful) -> str:
    match relation:
        case Values():
            return f"Values {_tuple(_tuple(row) for row in relation.rows)}"
        case Project():
            where = "" if relation.condition is None else f" WHERE {relation.condition}"
            return f"Project {_tuple(relation.expressions)}{where}"
        case Explode():
            return f"Explode {relation.array}{' OUTER' if relation.outer else ''}"
        case Union():
            return "Union"
        case Stateful():
            keys = " ".join(_columns(places) for places in relation.keys)
            return f"{_operation(relation.operation)} BY {keys} OF {_tuple(_types(relation.inputs))}"


def _scan(scan: Scan) -> str:
    columns = _tuple(f"{field.name} {field.type}" for field in scan.fields)
    computed = f" AS {_tuple(scan.expressions)}" if scan.expressions else ""
    watermark = "" if scan.watermark is None else f" WATERMARK c{scan.watermark[0]} - {scan.watermark[1]} ms"
    return f"{columns}{computed}{watermark}"


def _operation(operation: Operation) -> str:
    match operation:
        case GroupAggregate():
            return f"GroupAggregate {_calls(operation.calls)}"
        case WindowAggregate():
            return f"WindowAggregate {_calls(operation.calls)} {operation.time.value} {operation.zone}"
        case SessionAggregate():
            return f"SessionAggregate {_calls(operation.calls)} GAP {operation.gap_ms} ms {operation.time.value} {operation.zone}"
        case Deduplicate():
            return f"Deduplicate {operation.keep.value} {operation.time.value} {_column(operation.column)}"
        case TopN():
            order = _tuple(
                f"c{one.column} {'DESC' if one.descending else 'ASC'} NULLS {'LAST' if one.nulls_last else 'FIRST'}"
                for one in operation.order
            )
            rank = f"{operation.first} TO {operation.last}{' NUMBERED' if operation.with_number else ''}"
            return f"TopN {order} {rank} WINDOW {_column(operation.window)}"
        case Join() | IntervalJoin() | TemporalJoin():
            return _join(operation)
        case Normalize():
            return "Normalize"
        case Materialize():
            return "Materialize"


def _join(operation: Join | IntervalJoin | TemporalJoin) -> str:
    match operation:
        case Join():
            windows = "" if operation.window_end is None else f" WINDOW {_columns(operation.window_end)}"
            return f"{operation.kind.value} Join{windows}"
        case IntervalJoin():
            bounds = f"{operation.lower_ms} TO {operation.upper_ms} ms {operation.time.value}"
            return f"{operation.kind.value} IntervalJoin {_columns(operation.times)} {bounds}"
        case TemporalJoin():
            return f"{operation.kind.value} TemporalJoin {operation.time.value} {_tuple(map(_column, operation.times))}"


def _calls(calls: Sequence[AggregateCall]) -> str:
    return _tuple(map(_call, calls))


def _call(call: AggregateCall) -> str:
    distinct = "DISTINCT " if call.distinct else ""
    separator = "" if call.separator == "," else f" SEPARATOR {call.separator!r}"
    where = "" if call.filter is None else f" FILTER c{call.filter}"
    argument = "*" if call.argument is None else f"c{call.argument}"
    return f"{call.function.value}({distinct}{argument}{separator}){where} {call.type}"


def _types(inputs: Sequence[Relation]) -> Iterator[str]:
    return (_tuple(str(field.type) for field in one.fields) for one in inputs)


def _columns(places: Sequence[int]) -> str:
    return _tuple(f"c{place}" for place in places)


def _column(place: int | None) -> str:
    return "-" if place is None else f"c{place}"


def _tuple(texts: Iterable[str]) -> str:
    return f"({', '.join(texts)})"
