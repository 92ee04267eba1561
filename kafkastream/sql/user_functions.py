"""User-defined functions of SQL: their base classes, and their declaration."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, final

import attrs

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.sql.types import DataType

__all__ = ["FunctionContext", "ScalarFunction", "UserDefinedFunction", "UserFunction"]


@final
@attrs.frozen
class FunctionContext:
    """Context of a function, passed to ``open``.

    As PyFlink's, but functions of SQL have no metrics.

    Example:
        >>> FunctionContext({"rate": "7"}).get_job_parameter("rate", "1")
        '7'
    """

    job_parameters: Mapping[str, str] = attrs.field(default=FrozenMap(), repr=False)

    def get_job_parameter(self, key: str, default_value: str) -> str:
        """Return a global job parameter as text; ``default_value`` if it is not set."""
        return self.job_parameters.get(key, default_value)

    getJobParameter = get_job_parameter

    def get_metric_group(self) -> NoReturn:
        """Refused.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise UnsupportedFeatureError(
            "functions of SQL have no metrics", now="Count in a function of a stream: to_data_stream(table).map(...)."
        )

    getMetricGroup = get_metric_group


class UserDefinedFunction:
    """Base of user-defined functions: ``open`` runs before the first call, ``close`` after the last.

    A function is opened once per Python worker and kept between micro-batches.
    Differs from Flink: a function that overrides ``close`` is opened and closed with every task of every micro-batch,
    because Spark may end a worker between two of them. A failed task does not call ``close``.
    """

    def open(self, function_context: FunctionContext) -> None:
        """Prepare the function: open connections, load models."""

    def close(self) -> None:
        """Release the resources of ``open``."""

    def is_deterministic(self) -> bool:
        """Whether the same arguments always give the same result."""
        return True


class ScalarFunction(UserDefinedFunction, ABC):
    """Scalar function: returns one value per call.

    Example:
        >>> class Next(ScalarFunction):
        ...     def eval(self, number):
        ...         return None if number is None else number + 1
    """

    @abstractmethod
    def eval(self, *args: Any) -> Any:
        """Return the result of one call; NULL is None."""


@final
@attrs.frozen(eq=False)
class UserFunction:
    """A function with its types, made by ``udf``.

    Args:
        function: Python function, or an instance of ``ScalarFunction``.
        name: Name of the function.
        result_type: Type of the result, which may be NULL.
        input_types: Types that arguments are cast to implicitly; None for any.
        is_deterministic: Whether the same arguments always give the same result.
        is_pandas: Whether it is vectorized: takes and returns ``pandas.Series``.
    """

    function: Callable[..., Any] | ScalarFunction
    name: str
    result_type: DataType
    input_types: tuple[DataType, ...] | None = None
    is_deterministic: bool = True
    is_pandas: bool = False

    def __call__(self, *_: object) -> NoReturn:
        """Refused: in PyFlink, a call makes an expression of the Table API.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise UnsupportedFeatureError(
            "there are no expressions of the Table API here",
            where=f"function {self.name!r}",
            now="Give the function a name with create_temporary_function, and call it in SQL.",
        )
