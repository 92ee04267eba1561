"""User-defined functions of SQL: their base classes, and their declaration."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeVar, final

import attrs

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.metrics.groups import MetricGroup
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.sql.types import DataType, Kind

__all__ = [
    "AggregateFunction",
    "FunctionContext",
    "FunctionKind",
    "ImperativeAggregateFunction",
    "ScalarFunction",
    "TableAggregateFunction",
    "TableFunction",
    "UserDefinedFunction",
    "UserFunction",
]

T = TypeVar("T")
ACC = TypeVar("ACC")


@final
@attrs.frozen
class FunctionContext:
    """Context of a function, passed to ``open``.

    As PyFlink's, but only aggregate functions have metrics.

    Example:
        >>> FunctionContext({"rate": "7"}).get_job_parameter("rate", "1")
        '7'
    """

    job_parameters: Mapping[str, str] = attrs.field(default=FrozenMap(), repr=False)
    metrics: MetricGroup | None = attrs.field(default=None, eq=False, repr=False)

    def get_job_parameter(self, key: str, default_value: str) -> str:
        """Return a global job parameter as text.

        Args:
            key: Name of the parameter.
            default_value: Result if the parameter is not set.
        """
        return self.job_parameters.get(key, default_value)

    getJobParameter = get_job_parameter

    def get_metric_group(self) -> MetricGroup:
        """Return the group that an aggregate function registers its metrics with.

        Raises:
            UnsupportedFeatureError: The function is a scalar or a table function, which Spark calls without metrics.
        """
        if self.metrics is None:
            raise UnsupportedFeatureError(
                "scalar and table functions of SQL have no metrics",
                now="Count in a function of a stream: to_data_stream(table).map(...).",
            )
        return self.metrics

    getMetricGroup = get_metric_group


class UserDefinedFunction:
    """Base of user-defined functions: ``open`` runs before the first call, ``close`` after the last.

    A function is opened once per Python worker and kept between micro-batches.
    Differs from Flink: a function that overrides ``close`` is opened and closed with every task of every micro-batch,
    because Spark may end a worker between two of them. A failed task does not call ``close``.
    """

    def open(self, function_context: FunctionContext) -> None:
        """Prepare the function: open connections, load models.

        Args:
            function_context: Global job parameters, and for aggregate functions a group of metrics.
        """

    def close(self) -> None:
        """Release the resources of ``open``."""

    def is_deterministic(self) -> bool:
        """Return whether equal arguments always give the same result."""
        return True

    @property
    def _closes(self) -> bool:
        """True if the class overrides ``close``, so that it has to be called."""
        return type(self).close is not UserDefinedFunction.close


class ScalarFunction(UserDefinedFunction, ABC):
    """Scalar function: returns one value per call.

    Example:
        >>> class Next(ScalarFunction):
        ...     def eval(self, number):
        ...         return None if number is None else number + 1
    """

    @abstractmethod
    def eval(self, *args: Any) -> Any:
        """Return the result of one call.

        Args:
            args: Arguments of the call; NULL is None.
        """


class TableFunction(UserDefinedFunction, ABC):
    """Table function: yields any number of rows per call.

    Example:
        >>> class Words(TableFunction):
        ...     def eval(self, text):
        ...         for word in text.split():
        ...             yield word, len(word)
    """

    @abstractmethod
    def eval(self, *args: Any) -> Any:
        """Return the rows of one call: a generator, a list or a range of them, a single one, or None for no rows.

        A row is a ``tuple`` or a ``Row``; any other value is the only column of a row.

        Args:
            args: Arguments of the call; NULL is None.
        """


class ImperativeAggregateFunction(UserDefinedFunction, ABC, Generic[T, ACC]):
    """Base of aggregate functions, which keep an accumulator for each group.

    An accumulator is changed in place, and kept in the state of the job: a ``Row``, a ``list`` or a ``dict`` of values,
    or a ``ListView`` or ``MapView`` in one of them.
    """

    @abstractmethod
    def create_accumulator(self) -> ACC:
        """Return the accumulator of a group without rows."""

    @abstractmethod
    def accumulate(self, accumulator: ACC, *args: Any) -> None:
        """Add a row to the accumulator.

        Args:
            accumulator: Accumulator of the group, which is changed in place.
            args: Arguments of the call; NULL is None.
        """

    def retract(self, accumulator: ACC, *args: Any) -> None:
        """Take back a row; needed where the rows of the input change.

        Args:
            accumulator: Accumulator of the group, which is changed in place.
            args: Arguments that ``accumulate`` has got for this row.

        Raises:
            RuntimeError: Unless overridden.
        """
        raise RuntimeError("Method retract is not implemented")

    def merge(self, accumulator: ACC, accumulators: Iterable[ACC]) -> None:
        """Add the rows of other accumulators; needed for session windows.

        Args:
            accumulator: Accumulator of the group, which is changed in place.
            accumulators: Accumulators whose rows are added.

        Raises:
            RuntimeError: Unless overridden.
        """
        raise RuntimeError("Method merge is not implemented")

    def get_result_type(self) -> DataType | str:
        """Return the type of the result, if ``udaf`` is not given one."""
        raise RuntimeError("Method get_result_type is not implemented")

    def get_accumulator_type(self) -> DataType | str:
        """Return the type of the accumulator, if ``udaf`` is not given one."""
        raise RuntimeError("Method get_accumulator_type is not implemented")

    def _implements(self, method: str) -> bool:
        """Return whether the class overrides ``retract`` or ``merge``, which only raise here."""
        return getattr(type(self), method) is not getattr(ImperativeAggregateFunction, method)


class AggregateFunction(ImperativeAggregateFunction[Any, Any]):
    """Aggregate function: one value for each group of rows.

    Example:
        >>> class Longest(AggregateFunction):
        ...     def create_accumulator(self):
        ...         return [0]
        ...
        ...     def accumulate(self, accumulator, text):
        ...         accumulator[0] = max(accumulator[0], len(text))
        ...
        ...     def get_value(self, accumulator):
        ...         return accumulator[0]
    """

    @abstractmethod
    def get_value(self, accumulator: Any) -> Any:
        """Return the result of a group; the accumulator stays as it is."""


class TableAggregateFunction(ImperativeAggregateFunction[Any, Any]):
    """Table aggregate function: any number of rows for each group of rows, by ``flat_aggregate``."""

    @abstractmethod
    def emit_value(self, accumulator: Any) -> Iterable[Any]:
        """Return the rows of a group; the accumulator stays as it is."""


class FunctionKind(enum.Enum):
    """Kind of a user-defined function, as errors name it."""

    SCALAR = "scalar function"
    TABLE = "table function"
    AGGREGATE = "aggregate function"
    TABLE_AGGREGATE = "table aggregate function"


@attrs.frozen(eq=False)
class UserFunction:
    """A function with its types, made by ``udf``, ``udtf``, ``udaf`` or ``udtaf``.

    Args:
        function: Python function, or an instance of ``UserDefinedFunction``.
        name: Name of the function.
        result_type: Type of the result, which may be NULL; of the rows, for functions that give several.
        input_types: Types that arguments are cast to implicitly; None for any.
        is_deterministic: Whether the same arguments always give the same result.
        is_pandas: Whether it is vectorized: takes ``pandas.Series``, and returns one unless it aggregates.
        kind: Kind of the function.
        accumulator_type: Declared type of the accumulator, as text; empty if it has none.
    """

    function: Callable[..., Any] | UserDefinedFunction
    name: str
    result_type: DataType
    input_types: tuple[DataType, ...] | None = None
    is_deterministic: bool = True
    is_pandas: bool = False
    kind: FunctionKind = FunctionKind.SCALAR
    accumulator_type: str = ""

    @property
    def call_type(self) -> DataType:
        """Type of a call in an expression of the plan: for a table function, an ARRAY of its rows."""
        if self.kind is FunctionKind.TABLE:
            return DataType.of(Kind.ARRAY, parts=(self.result_type,))
        return self.result_type.nullable()
