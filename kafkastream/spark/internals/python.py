"""Spark's side of Python workers: types of Arrow, functions of SQL, the daemon that forks workers."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias, final

import attrs
import pyarrow as pa
from pyspark import SparkContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema, to_arrow_type
from pyspark.sql.types import DataType, StructType
from pyspark.sql.udf import UserDefinedFunction
from pyspark.util import PythonEvalType

from kafkastream.model.formats.malformed import RecordLimits, use_limits

__all__ = [
    "DAEMON_MODULE",
    "FORKED_MODULES",
    "PLANNING_MODULES",
    "WORKER_DAEMON",
    "WORKER_MODULES",
    "PromptInput",
    "arrow_schema_of",
    "arrow_type_of",
    "map_in_arrow",
    "python_of_workers",
    "record_limits_of",
    "register_arrow_function",
    "run_daemon",
    "set_python_of_workers",
    "set_record_limits",
    "set_worker_variable",
    "share_workers",
    "variables_of_workers",
]

DAEMON_MODULE: Final = "spark.python.daemon.module"
"""Setting with the module that forks workers.

https://github.com/apache/spark/blob/v4.2.1/core/src/main/scala/org/apache/spark/internal/config/Python.scala has it as
internal.
"""
WORKER_DAEMON: Final = "kafkastream.spark.daemon"
"""Module of this package for that setting."""
WORKER_MODULES: Final = ("pyspark.worker", "pyspark.sql.streaming.proto.StateMessage_pb2")
"""Modules of pyspark that a worker imports late, the second one for ``transformWithState`` only.

https://github.com/apache/spark/blob/v4.2.1/python/pyspark/sql/streaming/stateful_processor_api_client.py
"""
PLANNING_MODULES: Final = (
    "pyspark.sql.worker.lookup_data_sources",
    "pyspark.sql.worker.create_data_source",
    "pyspark.sql.worker.plan_data_source_read",
)
"""Modules that plan Python data sources, each in a process that ``pyspark.daemon`` forks for it.

https://github.com/apache/spark/blob/v4.2.1/sql/core/src/main/scala/org/apache/spark/sql/execution/datasources/v2/python/UserDefinedPythonDataSource.scala
"""
FORKED_MODULES: Final = (
    WORKER_DAEMON,
    "pyspark.daemon",
    "pyspark.sql.streaming.python_streaming_source_runner",
    "pyspark.sql.streaming.transform_with_state_driver_worker",
)
"""Modules that Spark runs as programs on the driver's machine, as ``python -m MODULE``.

https://github.com/apache/spark/blob/v4.2.1/core/src/main/scala/org/apache/spark/api/python/PythonWorkerFactory.scala
"""

_RECORD_LIMITS: Final = "kafkastream.record-limits"
"""Setting of a job's session with its limits for records, as JSON."""

ArrowFunction: TypeAlias = Callable[..., Any]
ArrowTask: TypeAlias = Callable[[Iterator[pa.RecordBatch]], Iterable[pa.RecordBatch]]


def arrow_type_of(kind: DataType) -> pa.DataType:
    """Return the Arrow type of a Spark column, as workers receive and return it.

    https://github.com/apache/spark/blob/v4.2.1/python/pyspark/sql/pandas/types.py
    """
    return to_arrow_type(kind, timezone="UTC")


def arrow_schema_of(schema: StructType, timezone: str | None = "UTC") -> pa.Schema:
    """Return the Arrow schema of a Spark schema.

    Args:
        schema: Spark's schema.
        timezone: Time zone of the timestamps; None for none, which Spark accepts from workers as well.
    """
    return to_arrow_schema(schema, timezone=timezone)


def register_arrow_function(
    session: SparkSession,
    name: str,
    call: ArrowFunction,
    returns: DataType,
    *,
    is_deterministic: bool,
    takes_batches: bool = False,
) -> None:
    """Register a function from Arrow columns to an Arrow column in the SQL of a session.

    ``pyspark.sql.functions.arrow_udf`` infers the arguments of a function from its type hints, and has no way to name it:
    https://github.com/apache/spark/blob/v4.2.1/python/pyspark/sql/udf.py

    Args:
        session: The session.
        name: Name in SQL.
        call: The function.
        returns: Type of the results.
        is_deterministic: Whether equal arguments give equal results, so that Spark may call it more or less often.
        takes_batches: Whether it takes an iterator over all batches of a task, instead of one batch.
    """
    kind = PythonEvalType.SQL_SCALAR_ARROW_ITER_UDF if takes_batches else PythonEvalType.SQL_SCALAR_ARROW_UDF
    session.udf.register(name, UserDefinedFunction(call, returns, name, kind, is_deterministic))


def python_of_workers(context: SparkContext) -> str:
    """Return the path of the Python that workers run, as functions carry it to executors.

    https://github.com/apache/spark/blob/v4.2.1/python/pyspark/core/context.py, ``pythonExec``.
    """
    return context.pythonExec


def set_python_of_workers(context: SparkContext, path: str) -> None:
    """Set the path of the Python that workers and planning processes run, for functions that are defined from now on.

    https://github.com/apache/spark/blob/v4.2.1/python/pyspark/core/context.py, ``pythonExec``.
    """
    context.pythonExec = path


def set_worker_variable(context: SparkContext, name: str, value: str) -> None:
    """Set an environment variable of all Python processes that Spark starts from now on, also on the driver's machine.

    https://github.com/apache/spark/blob/v4.2.1/python/pyspark/core/context.py, ``environment``; the documented setting
    ``spark.executorEnv`` is read before the context starts.
    """
    context.environment[name] = value


def variables_of_workers(context: SparkContext) -> dict[str, str]:
    """Return the environment variables that Python sets for all Python processes that Spark starts.

    https://github.com/apache/spark/blob/v4.2.1/python/pyspark/core/context.py, ``environment``.
    """
    return dict(context.environment)


def share_workers(context: SparkContext) -> None:
    """Let tasks with state have the workers of other tasks.

    Spark keeps workers, and a daemon that forks them, for each set of environment variables, and for tasks with state it
    leaves out one: https://github.com/apache/spark/blob/v4.2.1/core/src/main/scala/org/apache/spark/api/python/PythonRunner.scala,
    ``simplifiedTraceback``.
    """
    set_worker_variable(context, "SPARK_SIMPLIFIED_TRACEBACK", "1")


@final
class PromptInput:
    """Makes Spark send a task's records as soon as it has them, when a worker unpickles the task with this in it.

    Spark writes a task to its worker, and then the records. Nagle's algorithm holds the records back until the worker's
    system has acknowledged the task, which it puts off for 40 ms: https://issues.apache.org/jira/browse/SPARK-51667
    tells of it, and changed the connection to the state server only. Workers get both over one connection:
    https://github.com/apache/spark/blob/v4.2.1/core/src/main/scala/org/apache/spark/api/python/PythonRunner.scala
    """

    def __reduce__(self) -> tuple[Callable[[], PromptInput], tuple[()]]:
        return _prompt_input, ()


def _prompt_input() -> PromptInput:
    if sys.platform == "linux":  # which alone has the option
        for number in _connections():
            with suppress(OSError), _socket(number) as connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
    return PromptInput()


@cache
def _connections() -> tuple[int, ...]:
    """Return the descriptors of this process's TCP connections; a new worker has one, to Spark."""
    return tuple(filter(_is_tcp, (int(one.name) for one in Path("/proc/self/fd").iterdir())))


def _is_tcp(number: int) -> bool:
    with suppress(OSError), _socket(number) as found:
        return found.family in {socket.AF_INET, socket.AF_INET6} and found.type is socket.SOCK_STREAM
    return False


@contextmanager
def _socket(number: int) -> Iterator[socket.socket]:
    """Return the socket of a descriptor, which stays open.

    Raises:
        OSError: The descriptor is not a socket.
    """
    found = socket.socket(fileno=number)
    try:
        yield found
    finally:
        found.detach()


@final
class _Prompted:
    """Function on the batches of a task, with ``PromptInput`` and the job's limits for records."""

    def __init__(self, function: ArrowTask, limits: RecordLimits) -> None:
        self._function = function
        self._limits = limits
        self._prompt = PromptInput()

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        use_limits(self._limits)
        yield from self._function(batches)


def set_record_limits(session: SparkSession, limits: RecordLimits) -> None:
    """Set the limits for records of the tasks that a job's session starts."""
    session.conf.set(_RECORD_LIMITS, json.dumps(attrs.astuple(limits)))


def record_limits_of(session: SparkSession) -> RecordLimits:
    """Return the limits for records of the tasks that a job's session starts."""
    limits = session.conf.get(_RECORD_LIMITS, None)
    return RecordLimits() if limits is None else RecordLimits(*json.loads(limits))


def map_in_arrow(frame: DataFrame, function: ArrowTask, schema: StructType | str) -> DataFrame:
    """Return the rows of a function on the batches of each task, which come to it promptly.

    Args:
        frame: Rows that the function takes.
        function: The function, which is pickled.
        schema: Columns of the new rows.
    """
    return frame.mapInArrow(_Prompted(function, record_limits_of(frame.sparkSession)), schema)


def run_daemon() -> None:
    """Fork workers as Spark asks for them, until it closes standard input.

    https://github.com/apache/spark/blob/v4.2.1/python/pyspark/daemon.py
    """
    from pyspark.daemon import manager

    manager()
