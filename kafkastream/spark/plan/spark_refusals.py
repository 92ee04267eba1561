"""Translates errors of Spark's analyzer about a query's expressions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.errors import AnalysisException, ParseException

from kafkastream.errors import DefinitionError

__all__ = ["spark_refusals"]


@contextmanager
def spark_refusals() -> Iterator[None]:
    """Turn errors of Spark's analyzer within a ``with`` block into ours.

    The planner refuses most wrong arguments; those that only Spark refuses are reported here, before the job runs.

    Raises:
        DefinitionError: Spark cannot compute an expression.
    """
    try:
        yield
    except (AnalysisException, ParseException) as error:
        reason = str(error).splitlines()[0]
        raise DefinitionError(f"Spark cannot compute this: {reason}", now="Write it in another way.") from None
