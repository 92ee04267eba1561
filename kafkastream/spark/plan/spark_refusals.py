"""Errors of Spark's analyzer about a query's expressions, in the user's words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.errors import AnalysisException, ParseException

from kafkastream.errors import DefinitionError

__all__ = ["spark_refusals"]


@contextmanager
def spark_refusals() -> Iterator[None]:
    """Turn errors of Spark's analyzer into ours.

    The planner refuses arguments that do not fit; what it takes and Spark does not is told here, before anything runs.

    Raises:
        DefinitionError: Spark cannot compute an expression.
    """
    try:
        yield
    except (AnalysisException, ParseException) as error:
        reason = str(error).splitlines()[0]
        raise DefinitionError(f"Spark cannot compute this: {reason}", now="Write it in another way.") from None
