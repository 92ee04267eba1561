"""Operators on the rows of tables, driven without Spark, and tables that their changes make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, final

from kafkastream.metrics.groups import Counter as Metric
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.operators.state.key_encoding import encoded_key
from kafkastream.operators.state.state_backend import Entry
from kafkastream.operators.state.state_pages import StatePages
from kafkastream.operators.stream.keyed_operators import ElementwiseOperator, KeyedElements
from kafkastream.operators.table.table_operator_factory import table_operator
from kafkastream.sql.plan.operations import AggregateCall, AggregateFunction, TableOperation
from kafkastream.sql.types import DataType, Kind
from tests.unit.operators.memory import Memory

TableRow = tuple[Any, ...]
BIG = DataType.of(Kind.BIGINT)
KINDS = {"+I": 0, "-U": 1, "+U": 2, "-D": 3}
NAMES = list(KINDS)


def call(function: str, argument: int | None, type_: DataType = BIG, **more: Any) -> AggregateCall:
    """A call of a function, by what SQL calls it."""
    return AggregateCall(
        function=AggregateFunction(function), argument=argument, type=type_, argument_type=type_, **more
    )


def row(text: str, *columns: Any) -> TableRow:
    """A row, with its kind as Flink writes it."""
    return (KINDS[text], *columns)


def shown(rows: Iterable[TableRow]) -> list[TableRow]:
    """Rows with their kinds as Flink writes them."""
    return [(NAMES[one[0]], *one[1:]) for one in rows]


def materialised(rows: Iterable[TableRow]) -> Counter[TableRow]:
    """The table that changes make; each row that goes away must be there."""
    table: Counter[TableRow] = Counter()
    for kind, *columns in rows:
        one = tuple(columns)
        table[one] += 1 if kind in {0, 2} else -1
        assert table[one] >= 0, f"{NAMES[kind]}{one} takes back what is not there"
    return +table


@final
class Driven:
    """An operator over a backend, which may be taken up by a new one as after a failure."""

    def __init__(self, what: TableOperation) -> None:
        self.memory = Memory()
        self.now = 0
        self._what = what
        self._begin()

    def _begin(self) -> None:
        operator = table_operator(self._what)
        assert isinstance(operator, ElementwiseOperator)
        self.operator = operator
        self.operator.keyed_context.clock = lambda: self.now
        self.operator.open(RuntimeContext(task_name="driven", cells=self.operator.keyed_context.cell))
        self.operator.keyed_context.begin(self.memory, b"n/")

    def give(self, *rows: TableRow, key: Any = "k", side: int = 0) -> list[TableRow]:
        """What comes out for rows, by the names of their kinds."""
        return shown(self.raw(*((key, one) for one in rows), side=side))

    def raw(self, *rows: tuple[Any, TableRow], side: int = 0) -> list[TableRow]:
        """What comes out for rows with their keys."""
        keys = [encoded_key(key) for key, _ in rows]
        out = self.operator.elements(KeyedElements(side, keys, [one for _, one in rows], [None] * len(rows)))
        assert out.timestamps == [None] * len(out.values)
        return out.values

    def advance(self, watermark: int = -(2**63), now: int | None = None) -> list[TableRow]:
        """What comes out when times come."""
        self.now = self.now if now is None else now
        return shown(self.operator.advance(watermark, self.now).values)

    def checkpoint(self) -> None:
        """Let another operator go on with what is kept."""
        self.operator.keyed_context.end()
        self._begin()

    def entry(self, key: Any = "k") -> Entry:
        """What is kept for a key."""
        self.checkpoint()
        return StatePages(self.memory, b"n/k").of(encoded_key(key))

    @property
    def late(self) -> int:
        """How many rows were late."""
        metric = self.operator._late
        assert isinstance(metric, Metric)
        return metric.get_count()
