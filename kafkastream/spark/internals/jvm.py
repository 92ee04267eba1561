"""Spark's JVM: its gateway, its class path, its active session."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from pyspark import SparkConf, SparkContext, java_gateway
from pyspark.find_spark_home import _find_spark_home
from pyspark.sql import DataFrame, SparkSession

__all__ = [
    "active_session_kept",
    "add_to_class_path",
    "answer_callbacks",
    "file_system",
    "forget_gateway",
    "has_class",
    "java_class",
    "java_frame",
    "java_path",
    "java_session",
    "keep_session_active",
    "launch_gateway",
    "running_gateway",
    "spark_home",
    "task_slots",
    "wrap_accumulator_errors",
]

_GROWING_LOADER: Final = "MutableURLClassLoader"


def spark_home() -> Path:
    """Return the folder of Spark's installation, as ``spark-submit`` finds it.

    https://github.com/apache/spark/blob/v4.2.1/python/pyspark/find_spark_home.py
    """
    return Path(_find_spark_home())


def task_slots(context: SparkContext) -> int:
    """Return how many tasks Spark runs at a time.

    https://github.com/apache/spark/blob/v4.2.1/core/src/main/scala/org/apache/spark/SparkContext.scala has it for its own
    use, ``maxNumConcurrentTasks``; ``defaultParallelism`` is another number if it is set.
    """
    java = context._jsc.sc()
    return int(java.maxNumConcurrentTasks(java.resourceProfileManager().defaultResourceProfile()))


def launch_gateway(conf: SparkConf, options: Mapping[str, Any], popen: Callable[..., subprocess.Popen[bytes]]) -> Any:
    """Start a JVM and return its gateway.

    https://github.com/apache/spark/blob/v4.2.1/python/pyspark/java_gateway.py: ``launch_gateway`` hands out no process
    that has not started, so ``popen`` takes the place of the module's own name.

    Args:
        conf: Settings of the driver.
        options: Arguments of ``Popen``, such as where output goes.
        popen: Starts the process, as ``subprocess.Popen`` does.
    """
    names = vars(java_gateway)
    before = names["Popen"]
    names["Popen"] = popen
    try:
        return java_gateway.launch_gateway(conf, dict(options))
    finally:
        names["Popen"] = before


def running_gateway() -> Any:
    """Return the gateway of this program's JVM; None before the first session.

    https://github.com/apache/spark/blob/v4.2.1/python/pyspark/core/context.py
    """
    return SparkContext._gateway


def forget_gateway() -> None:
    """Let the next session start a JVM of its own, after the gateway was shut down."""
    SparkContext._gateway = SparkContext._jvm = None


def java_class(of: SparkSession | SparkContext, name: str) -> Any:
    """Return a class of the JVM by its whole name.

    For ``jvm.org.apache…``, the JVM would look for a class of each part's name in all of Spark's jars:
    https://github.com/py4j/py4j/blob/0.10.9.9/py4j-python/src/py4j/java_gateway.py, ``JVMView.__getattr__``. No public way
    leads to the JVM: https://spark.apache.org/docs/latest/api/python/development/debugging.html.
    """
    context = of.sparkContext if isinstance(of, SparkSession) else of
    return getattr(context._jvm, name)


def answer_callbacks(gateway: Any) -> None:
    """Start py4j's callback server, by which the JVM calls objects of this program.

    https://github.com/apache/spark/blob/v4.2.1/python/pyspark/java_gateway.py
    """
    java_gateway.ensure_callback_server_started(gateway)


def java_session(session: SparkSession) -> Any:
    """Return the JVM's object of a session."""
    return session._jsparkSession


def java_frame(frame: DataFrame) -> Any:
    """Return the JVM's object of a frame."""
    return frame._jdf


def java_path(session: SparkSession, path: str) -> Any:
    """Return Hadoop's object of a path or URL."""
    return java_class(session, "org.apache.hadoop.fs.Path")(path)


def file_system(session: SparkSession, path: Any) -> Any:
    """Return Hadoop's file system of a ``java_path``, as the driver's context configures it."""
    return path.getFileSystem(session.sparkContext._jsc.hadoopConfiguration())


def has_class(session: SparkSession, name: str) -> bool:
    """Return whether the driver's JVM has a class of this name."""
    from py4j.protocol import Py4JJavaError

    try:
        _class_loader(session).loadClass(name)
    except Py4JJavaError:
        return False
    return True


def add_to_class_path(session: SparkSession, jars: Iterable[Path]) -> bool:
    """Add jars to a running driver and its executors; return whether the driver's class loader supports it.

    ``SparkContext.addJar`` reaches the executors only. The loader that ``spark-submit`` sets for the program's thread has a
    public ``addURL``:
    https://github.com/apache/spark/blob/v4.2.1/core/src/main/java/org/apache/spark/util/MutableURLClassLoader.java
    """
    loader = _class_loader(session)
    if not loader.getClass().getName().endswith(_GROWING_LOADER):
        return False
    for jar in jars:
        loader.addURL(java_class(session, "java.net.URL")(jar.as_uri()))
        session.sparkContext._jsc.sc().addJar(str(jar))
    return True


def _class_loader(session: SparkSession) -> Any:
    return java_class(session, "java.lang.Thread").currentThread().getContextClassLoader()


@contextmanager
def active_session_kept(session: SparkSession) -> Iterator[None]:
    """Restore the program's active session at the end of a ``with`` block.

    Spark keeps the active session for each thread of the JVM, pyspark keeps one for all threads of Python:
    https://github.com/apache/spark/blob/v4.2.1/python/pyspark/sql/session.py, ``_activeSession``. ``createDataFrame`` sets
    both. The caller ensures that no other thread runs such a block at the same time.
    """
    before = SparkSession._activeSession
    try:
        with _active_in_thread(session):
            yield
    finally:
        SparkSession._activeSession = before


@contextmanager
def keep_session_active(session: SparkSession) -> Iterator[None]:
    """Make a session the active one of the JVM's thread within a ``with`` block; Python's active session stays."""
    with _active_in_thread(session) as sessions:
        sessions.setActiveSession(java_session(session))
        yield


@contextmanager
def _active_in_thread(session: SparkSession) -> Iterator[Any]:
    sessions = java_class(session, "org.apache.spark.sql.classic.SparkSession")
    before = sessions.getActiveSession()
    try:
        yield sessions
    finally:
        if before.isDefined():
            sessions.setActiveSession(before.get())
        else:
            sessions.clearActiveSession()


def wrap_accumulator_errors(context: SparkContext, is_known: Callable[[], bool]) -> None:
    """Silence connection errors of Spark's accumulator server that are known already.

    https://github.com/apache/spark/blob/v4.2.1/python/pyspark/accumulators.py: it prints the traceback of each connection
    that a killed JVM cuts off.

    Args:
        context: The running context.
        is_known: Whether a current connection error is expected and need not be printed.
    """
    server = getattr(context, "_accumulatorServer", None)
    if server is None or "handle_error" in vars(server):
        return
    tell = server.handle_error

    def handle_error(request: object, address: object) -> None:
        if not is_known():
            tell(request, address)

    server.handle_error = handle_error
