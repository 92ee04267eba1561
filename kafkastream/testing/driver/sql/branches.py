"""Row-by-row steps of a query, computed in Python: projections, filters and unnested arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, Final, final

import attrs

from kafkastream.errors import DefinitionError, UnsupportedFeatureError, UserFunctionError
from kafkastream.model.common.row import RowKind
from kafkastream.model.common.value_printing import shown
from kafkastream.operators.table.patterns.computed_values import Computation
from kafkastream.spark.worker.failures import said
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.plan.branches import Branch
from kafkastream.sql.plan.expression import TypedExpression
from kafkastream.sql.plan.relations import Explode, Project, Relation, Scan, Values
from kafkastream.testing.driver.sql.casts import NotInPythonError
from kafkastream.testing.driver.sql.expressions import PythonExpressions

__all__ = ["BranchRows", "PythonBranch", "Row", "TimedRow"]

Row = tuple[Any, ...]
"""Number of the row kind, then the columns, as operators have them."""
TimedRow = tuple[Row | None, int | None]
"""A row, None for one that the query leaves out, with the event time that it carries for the watermark, in ms."""
_Step = Callable[[Row], Iterable[Row]]
_DELETE: Final = RowKind.DELETE.value


class BranchRows(ABC):
    """Rows of a branch of a query."""

    @abstractmethod
    def of(self, rows: Iterable[Row]) -> Sequence[TimedRow]:
        """Return the rows that the steps make of the rows of the origin.

        Args:
            rows: Rows of a table, without its computed columns, or of an operator.

        Raises:
            JobError: A function failed, or a value cannot be computed.
        """

    @abstractmethod
    def constant(self) -> Sequence[TimedRow]:
        """Return the rows of VALUES; errors as of ``of``."""


@final
@attrs.frozen
class PythonBranch(BranchRows):
    """Computes the rows of a branch in Python."""

    _scan: Callable[[Row], tuple[Row, int | None]]
    _values: Sequence[Sequence[Computation]]
    _steps: Sequence[_Step]

    @staticmethod
    def compiled(branch: Branch, expressions: PythonExpressions, *, has_time: bool) -> PythonBranch:
        """Compile a branch.

        Args:
            branch: Origin and steps.
            expressions: Computes expressions.
            has_time: Whether rows carry event time, since the job has operators that need watermarks.

        Raises:
            NotInPythonError: A part is computed by Spark alone.
        """
        values: Sequence[Sequence[Computation]] = ()
        scan: Callable[[Row], tuple[Row, int | None]] = _as_it_is
        if isinstance(branch.origin, Scan):
            scan = _scan(branch.origin, expressions, has_time=has_time)
        elif isinstance(branch.origin, Values):
            values = [[expressions.computation(value) for value in row] for row in branch.origin.rows]
        return PythonBranch(scan, values, [_step(step, expressions) for step in branch.steps])

    def of(self, rows: Iterable[Row]) -> Sequence[TimedRow]:
        """Return the rows of the branch."""
        made: list[TimedRow] = []
        for given in rows:
            with _located(given):
                made += self._rows(*self._scan(given))
        return made

    @staticmethod
    def missing(branch: Branch, expressions: PythonExpressions) -> list[str]:
        """Return what is not computed in Python, of each expression of a branch the first such part."""
        missing = []
        for expression in _computed(branch):
            try:
                expressions.computation(expression)
            except NotInPythonError as error:
                missing.append(str(error))
        return missing

    def constant(self) -> Sequence[TimedRow]:
        """Return the rows of VALUES."""
        return [row for values in self._values for row in self._rows((0, *(value(()) for value in values)), None)]

    def _rows(self, row: Row, time: int | None) -> Iterator[TimedRow]:
        rows: Iterable[Row] = (row,)
        for step in self._steps:
            rows = [made for before in rows for made in step(before)]
        yield from ((made, time) for made in rows)
        if not rows:
            yield None, time


def _computed(branch: Branch) -> Iterator[TypedExpression]:
    match branch.origin:
        case Scan(expressions=expressions):
            yield from expressions
        case Values(rows=rows):
            yield from chain.from_iterable(rows)
        case _:
            pass
    for step in branch.steps:
        yield from step.computed if isinstance(step, Project) else (step.array,)


@contextmanager
def _located(row: Row) -> Iterator[None]:
    """Name the row in errors within a ``with`` block, which are those of a job."""
    try:
        yield
    except UnsupportedFeatureError:
        raise
    except UserFunctionError as error:
        if error.where:
            raise
        raise UserFunctionError(error.what, where=f"row {shown(row[1:])}", now=error.now) from None
    except Exception as error:
        reason = error.what if isinstance(error, DefinitionError) else said(error)
        raise UserFunctionError(f"a query failed: {reason}", where=f"row {shown(row[1:])}") from error


def _as_it_is(row: Row) -> tuple[Row, None]:
    return row, None


def _scan(scan: Scan, expressions: PythonExpressions, *, has_time: bool) -> Callable[[Row], tuple[Row, int | None]]:
    columns = [_for_changes(expression, scan, expressions) for expression in scan.expressions]
    index, delay_ms = scan.watermark if scan.watermark is not None and has_time else (None, 0)

    def scanned(row: Row) -> tuple[Row, int | None]:
        if columns:
            row = (row[0], *(column(row) for column in columns))
        if index is None or row[index + 1] is None:
            return row, None
        return row, row[index + 1] // 1000 - (delay_ms - 1)

    return scanned


def _for_changes(expression: TypedExpression, input_: Relation, expressions: PythonExpressions) -> Computation:
    """Return the computation over a row with its kind; a DELETE with its key alone calls no functions, as on Spark."""
    compute = expressions.computation(expression)
    if input_.changelog is not ChangelogMode.UPSERT:
        return lambda row: compute(row[1:])
    without_calls = attrs.evolve(expressions, skips_functions=True).computation(expression)
    return lambda row: (without_calls if row[0] == _DELETE else compute)(row[1:])


def _step(step: Project | Explode, expressions: PythonExpressions) -> _Step:
    if isinstance(step, Explode):
        array = _for_changes(step.array, step.input, expressions)
        nothing = (None,) * (len(step.fields) - len(step.input.fields))

        def exploded(row: Row) -> Iterable[Row]:
            elements = array(row) or ((nothing,) if step.outer else ())
            return [(*row, *(nothing if element is None else element)) for element in elements]

        return exploded
    columns = [_for_changes(expression, step.input, expressions) for expression in step.expressions]
    condition = None if step.condition is None else _for_changes(step.condition, step.input, expressions)

    def projected(row: Row) -> Iterable[Row]:
        if condition is not None and condition(row) is not True:
            return ()
        return ((row[0], *(column(row) for column in columns)),)

    return projected
