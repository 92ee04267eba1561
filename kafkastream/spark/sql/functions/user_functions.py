"""Registers user-defined functions in Spark, from Arrow columns to an Arrow column."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, final

import attrs
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, lit

from kafkastream.errors import UserFunctionError
from kafkastream.model.common.row import RowKind
from kafkastream.spark.crash_notes import NOTE
from kafkastream.spark.internals.python import arrow_type_of, register_arrow_function
from kafkastream.spark.session.translate_errors import FunctionFailedError
from kafkastream.spark.sql.formats.spark_types import spark_type
from kafkastream.spark.sql.functions.function_columns import column_by_rows, of_series, of_tables
from kafkastream.spark.sql.rows.row_task import HIDDEN
from kafkastream.spark.sql.rows.wire_values import KIND
from kafkastream.spark.worker.failures import function_failed
from kafkastream.spark.worker.pickling import sent
from kafkastream.spark.worker.worker_cache import WORKER_CACHE, JobAttempt, tried_before
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.plan.expression import TypedExpression, calls_user
from kafkastream.sql.plan.spark_text import KEPT
from kafkastream.sql.session_functions import NamedFunction
from kafkastream.sql.types import DataType
from kafkastream.sql.user_functions import (
    FunctionContext,
    FunctionKind,
    ScalarFunction,
    TableFunction,
    UserDefinedFunction,
    UserFunction,
)

__all__ = ["callable_on", "register"]

_Results = Callable[..., pa.Array]


def register(session: SparkSession, functions: Iterable[NamedFunction], run: JobAttempt) -> None:
    """Register functions for the queries of a session.

    Raises:
        DefinitionError: A function cannot be pickled.
    """
    for one in functions:
        of = one.function
        calls = _Calls(
            one.name,
            one.spark_name,
            run,
            sent(of.function, partial("the function {!r}".format, one.name)),
            of.call_type,
            arrow_type_of(spark_type(of.call_type)),
            _results_of(of),
        )
        if _closes(of.function):
            _register(session, one, calls.of_task, takes_batches=True)
        else:
            _register(session, one, calls)


def callable_on(frame: DataFrame, expressions: Iterable[TypedExpression], changelog: ChangelogMode) -> DataFrame:
    """Return rows with the column by which called functions skip rows that are not the query's.

    Args:
        frame: The rows.
        expressions: Expressions with calls of functions.
        changelog: Row kinds of the rows; an upsert's DELETE only has the key, on which functions may be called.
    """
    if KEPT in frame.columns or not any(map(calls_user, expressions)):
        return frame
    kind = HIDDEN[1]  # of a message that is not a row
    kept = col(kind).isNull() if kind in frame.columns else lit(True)
    if changelog is ChangelogMode.UPSERT:
        kept &= ~col(KIND).eqNullSafe(RowKind.DELETE.value)
    return frame.withColumn(KEPT, kept)


def _register(
    session: SparkSession, named: NamedFunction, call: Callable[..., Any], *, takes_batches: bool = False
) -> None:
    register_arrow_function(
        session,
        named.spark_name,
        call,
        spark_type(named.function.call_type),
        is_deterministic=named.function.is_deterministic,
        takes_batches=takes_batches,
    )


def _results_of(function: UserFunction) -> _Results:
    if function.kind is FunctionKind.TABLE:
        return of_tables
    return of_series if function.is_pandas else column_by_rows


def _closes(function: object) -> bool:
    return isinstance(function, UserDefinedFunction) and function._closes


@final
@attrs.frozen
class _Calls:
    """Calls a function for the rows of a batch.

    Args:
        name: Name of the function for the user.
        spark_name: Name of the function in Spark.
        run: Attempt that the tasks belong to.
        function: Pickled function.
        kind: Type of its results.
        arrow: Arrow type of its results.
        results: Calls it on columns.
    """

    name: str
    spark_name: str
    run: JobAttempt
    function: bytes
    kind: DataType
    arrow: pa.DataType
    results: _Results

    def __call__(self, kept: pa.Array, *columns: pa.Array) -> pa.Array:
        """Call the function on a batch, and keep it open for the next task."""
        with _told():
            key = ("function", self.spark_name)
            function = WORKER_CACHE.take(self.run, key, self._opened)
            results = self._results(function, kept, columns)
        WORKER_CACHE.keep(self.run, key, function)
        return results

    def of_task(self, batches: Iterator[pa.Array | tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        """Call the function on all batches of a task, yield its results, and close it."""
        with _told():
            function = self._opened()
            try:
                for batch in batches:
                    kept, *columns = batch if isinstance(batch, tuple) else (batch,)
                    yield self._results(function, kept, columns)
            finally:
                with function_failed(self.name, "close", "function"):
                    function.close()

    def _opened(self) -> Any:
        function = pickle.loads(self.function)
        if isinstance(function, UserDefinedFunction):
            with function_failed(self.name, "open", "function"):
                function.open(FunctionContext(self.run.job_parameters))
        return function

    def _results(self, function: Any, kept: pa.Array, columns: Sequence[pa.Array]) -> pa.Array:
        """Return the results; NULL for rows that are not the query's, without a call."""
        wanted = kept.true_count
        if not wanted:
            return pa.nulls(len(kept), self.arrow)
        call = function.eval if isinstance(function, ScalarFunction | TableFunction) else function
        with NOTE.task(self.run.id, tried_before()):
            NOTE.enter(f"function {self.name!r}")
            return self._called(call, kept, wanted, columns)

    def _called(self, call: Callable[..., Any], kept: pa.Array, wanted: int, columns: Sequence[pa.Array]) -> pa.Array:
        if wanted == len(kept):
            return self.results(self.name, call, columns, wanted, self.kind, self.arrow)
        some = [column.filter(kept) for column in columns]
        places = itertools.count()
        taken = pa.array([next(places) if one else None for one in kept.to_pylist()], pa.int64())
        return self.results(self.name, call, some, wanted, self.kind, self.arrow).take(taken)


@contextmanager
def _told() -> Iterator[None]:
    """Pass errors of a user-defined function through Spark's exceptions, within a ``with`` block."""
    try:
        yield
    except UserFunctionError as error:
        raise FunctionFailedError(error) from None
