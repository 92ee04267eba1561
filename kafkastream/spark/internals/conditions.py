"""Error conditions: the names by which Spark and its connectors distinguish errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from py4j.java_gateway import is_instance_of
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql.streaming.query import StreamingQuery

from kafkastream.spark.internals.jvm import running_gateway

__all__ = ["error_conditions", "exception_of", "raised_text"]

_HAS_CONDITION: Final = "org.apache.spark.SparkThrowable"
_RAISED: Final = "USER_RAISED_EXCEPTION"


def error_conditions(error: BaseException) -> tuple[str, ...]:
    """Return the conditions of an error and its causes, the error's own first.

    ``getCondition`` is documented, but covers the error alone, and returns nothing where pyspark has no class for Java's:
    https://github.com/apache/spark/blob/v4.2.1/python/pyspark/errors/exceptions/captured.py. So Java's causes are asked.
    The names are in https://github.com/apache/spark/blob/v4.2.1/common/utils/src/main/resources/error/error-conditions.json,
    those of Kafka's source in ``kafka-error-conditions.json`` of its own jar.

    Args:
        error: Any error; one that has nothing to do with Spark has no conditions.

    Returns:
        Names such as ``KAFKA_DATA_LOSS.PARTITION_OFFSET_CHANGED``; none if the JVM has ended.
    """
    try:
        return tuple(one.getCondition() for one in _with_conditions(error) if one.getCondition())
    except (Py4JError, OSError):
        return ()


def raised_text(error: BaseException) -> str | None:
    """Return the text that a plan gave to ``raise_error``; None if the error has another reason, or the JVM has ended.

    https://github.com/apache/spark/blob/v4.2.1/common/utils/src/main/resources/error/error-conditions.json has the
    condition ``USER_RAISED_EXCEPTION`` and its parameter.
    """
    try:
        raised = [one for one in _with_conditions(error) if one.getCondition() == _RAISED]
        return str(raised[0].getMessageParameters()["errorMessage"]) if raised else None
    except (Py4JError, OSError):
        return None


def exception_of(query: StreamingQuery) -> PySparkException | None:
    """Return the error that has ended a query, if one has; ``error_conditions`` knows its causes.

    ``StreamingQuery.exception`` leaves Java's error behind:
    https://github.com/apache/spark/blob/v4.2.1/python/pyspark/sql/streaming/query.py
    """
    error = query.exception()
    if error is not None:
        execution: Any = query
        vars(error)["_origin"] = execution._jsq.exception().get()
    return error


def _with_conditions(error: BaseException | None) -> Iterator[Any]:
    """Yield the errors that have a condition, the error and its causes: those of pyspark and of Java have the same methods."""
    while error is not None:
        java = error.java_exception if isinstance(error, Py4JJavaError) else getattr(error, "_origin", None)
        if java is not None:
            yield from _in_java(java)
            return
        if isinstance(error, PySparkException):
            yield error
        error = getattr(error, "_cause", None) or error.__cause__


def _in_java(throwable: Any) -> Iterator[Any]:
    """Yield those of a Java error and its causes that tell a condition.

    https://github.com/apache/spark/blob/v4.2.1/common/utils/src/main/java/org/apache/spark/SparkThrowable.java
    """
    gateway = running_gateway()
    while gateway is not None and throwable is not None:
        if is_instance_of(gateway, throwable, _HAS_CONDITION):
            yield throwable
        throwable = throwable.getCause()
