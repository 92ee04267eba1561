"""Carries plans out in plain Python: the operators themselves, and what the cases have of expressions."""

from __future__ import annotations

import datetime
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, final

from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.operators.state.key_encoding import encoded_key
from kafkastream.operators.stream.keyed_operators import ElementwiseOperator, KeyedElements
from kafkastream.operators.table.aggregates.group_aggregate import GroupAggregateOperator
from kafkastream.operators.table.aggregates.window_aggregate import WindowAggregateOperator
from kafkastream.operators.table.table_operator_factory import table_operator
from kafkastream.sql.plan.expression import (
    Call,
    Case,
    Cast,
    ColumnRef,
    FieldAccess,
    Interval,
    Literal,
    TypedExpression,
    UserCall,
)
from kafkastream.sql.plan.operations import GroupAggregate, TableOperation, WindowAggregate
from kafkastream.sql.plan.query_node import KeyColumns
from kafkastream.sql.plan.relations import Explode, Project, Relation, Scan, Stateful, Union, Values
from kafkastream.sql.types import Kind
from tests.unit.operators.memory import Memory

__all__ = ["Interpreted", "micros", "shown"]

Row = tuple[Any, ...]
_EPOCH: Final = datetime.datetime(1970, 1, 1)  # noqa: DTZ001 - a wall clock's
_MICRO: Final = datetime.timedelta(microseconds=1)


def micros(text: str) -> int:
    """A timestamp as operators have it."""
    return (datetime.datetime.fromisoformat(text) - _EPOCH) // _MICRO


def shown(value: Any, kind: Kind) -> str | None:
    """A value as CAST writes it."""
    if value is None:
        return None
    if kind is Kind.TIMESTAMP:
        return str((_EPOCH + value * _MICRO).isoformat(" ", "milliseconds"))
    return str(value).upper() if isinstance(value, bool) else str(value)


def _strict(call: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: None if None in given else call(*given)


def _both(*given: bool | None) -> bool | None:
    return False if False in given else None if None in given else True


def _either(*given: bool | None) -> bool | None:
    return True if True in given else None if None in given else False


def _windows(clock: int, step: int, size: int, offset: int) -> list[Row]:
    last = (clock - offset * 1000) // (step * 1000) * (step * 1000) + offset * 1000
    starts = [last - at * step * 1000 for at in range(-(-size // step))]
    found = [(start, start + size * 1000) for start in starts]
    return [(start, end, end - 1000) for start, end in found if end > clock]


def _cumulated(clock: int, step: int, size: int, offset: int) -> list[Row]:
    start = (clock - offset * 1000) // (size * 1000) * (size * 1000) + offset * 1000
    ends = [start + at * step * 1000 for at in range(1, size // step + 1)]
    return [(start, end, end - 1000) for end in ends if end > clock]


_CALLS: Final[Mapping[str, Callable[..., Any]]] = {
    "=": _strict(operator.eq),
    "<>": _strict(operator.ne),
    ">": _strict(operator.gt),
    ">=": _strict(operator.ge),
    "<": _strict(operator.lt),
    "<=": _strict(operator.le),
    "+": _strict(operator.add),
    "-": _strict(operator.sub),
    "*": _strict(operator.mul),
    "AND": _both,
    "$ALL": _both,
    "OR": _either,
    "NOT": _strict(operator.not_),
    "BETWEEN": lambda value, low, high: _both(_CALLS[">="](value, low), _CALLS["<="](value, high)),
    "IS NULL": lambda one: one is None,
    "IS NOT NULL": lambda one: one is not None,
    "IS TRUE": lambda one: one is True,
    "IS FALSE": lambda one: one is False,
    "IS NOT DISTINCT FROM": lambda one, other: one == other,
    "COALESCE": lambda *given: next((one for one in given if one is not None), None),
    "$PARENTHESES": lambda one: one,
    "$NEGATE": _strict(operator.neg),
    "$OF_PAIRS": lambda part, condition: condition if part == 0 else True,
    "$WINDOW_START": lambda clock, size, offset: (clock - offset) // size * size + offset,
    "$WINDOW_TIME": lambda end: end - 1000,
    "$HOP": _windows,
    "$CUMULATE": _cumulated,
    "PROCTIME": lambda: 0,
}


def evaluated(expression: TypedExpression, row: Sequence[Any]) -> Any:
    """The value of an expression over the columns of a row."""
    match expression:
        case ColumnRef(place=place):
            return row[place]
        case Literal(value=value, type=type_):
            return int(value) if isinstance(value, str) and type_.kind is Kind.DECIMAL else value
        case Interval(amount=amount):
            return amount * 1000
        case Cast(value=value, type=type_):
            found = evaluated(value, row)
            return shown(found, value.type.kind) if type_.kind is Kind.VARCHAR else found
        case Case(conditions=conditions, values=values, otherwise=otherwise):
            pairs = zip(conditions, values, strict=True)
            return evaluated(next((one for when, one in pairs if evaluated(when, row) is True), otherwise), row)
        case Call(function="$UNLESS_NULL", arguments=(_, _, result)):
            return evaluated(result, row)
        case Call(function=function, arguments=arguments):
            return _CALLS[function](*(evaluated(one, row) for one in arguments))
        case FieldAccess() | UserCall():
            raise NotImplementedError(expression)


@final
class Interpreted:
    """A plan, to be carried out micro-batch by micro-batch; each begins with what the one before has kept.

    Args:
        relation: The plan.
        table: Returns the rows of a table in the current micro-batch.
    """

    def __init__(self, relation: Relation, table: Callable[[Scan], Iterable[Row]]) -> None:
        self._relation = relation
        self._table = table
        self._memories: dict[tuple[int, ...], Memory] = {}

    def batch(self, watermark: int) -> list[Row]:
        """What the plan emits, with the kind of each row first, until the watermark has come to this time."""
        return self._rows(self._relation, (), watermark)

    def _rows(self, relation: Relation, path: tuple[int, ...], watermark: int) -> list[Row]:
        inputs = [self._rows(one, (*path, at), watermark) for at, one in enumerate(relation.inputs)]
        match relation:
            case Scan(expressions=expressions):
                rows = self._table(relation)
                return [(0, *([evaluated(one, row) for one in expressions] or row)) for row in rows]
            case Values():
                raise NotImplementedError(relation)
            case Project(expressions=expressions, condition=condition):
                kept = (row for row in inputs[0] if condition is None or evaluated(condition, row[1:]) is True)
                return [(row[0], *(evaluated(one, row[1:]) for one in expressions)) for row in kept]
            case Explode(array=array):
                return [(*row, *element) for row in inputs[0] for element in evaluated(array, row[1:])]
            case Union():
                return [row for one in inputs for row in one]
            case Stateful():
                return self._operated(relation, path, inputs, watermark)

    def _operated(
        self, relation: Stateful, path: tuple[int, ...], inputs: Sequence[Sequence[Row]], watermark: int
    ) -> list[Row]:
        one = _operator(relation)
        one.keyed_context.clock = lambda: 0
        one.open(RuntimeContext(task_name="interpreted", cells=one.keyed_context.cell))
        one.keyed_context.begin(self._memories.setdefault(path, Memory()), b"n/")
        out: list[Row] = []
        for side, (rows, places) in enumerate(zip(inputs, relation.keys, strict=True)):
            key = KeyColumns(places)
            keys = [encoded_key(key(row)) for row in rows]
            out += one.elements(KeyedElements(side, keys, list(rows), [None] * len(rows))).values
        out += one.advance(watermark, 0).values
        one.keyed_context.end()
        return out


def _operator(relation: Stateful) -> ElementwiseOperator:
    """The operator, which takes whole rows even where Spark's tasks aggregate them before."""
    retracts = any(not one.changelog.is_insert_only for one in relation.merged)
    operation = relation.operation
    found = (
        GroupAggregateOperator(operation, retracts=retracts, partial=False)
        if isinstance(operation, GroupAggregate)
        else WindowAggregateOperator(operation, retracts=retracts, partial=False)
        if isinstance(operation, WindowAggregate)
        else table_operator(TableOperation(operation, retracts=retracts, keys=relation.keys))
    )
    assert isinstance(found, ElementwiseOperator)
    return found
