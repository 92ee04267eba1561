"""Spark session of a job: the active one, or a new one, with the Kafka connector."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import pyspark
from py4j.protocol import Py4JJavaError
from pyspark import SparkConf, SparkContext
from pyspark.logger import PySparkLogger
from pyspark.sql import DataFrame, SparkSession

from kafkastream.errors import ConnectorMissingError, SetupError, UnsupportedFeatureError
from kafkastream.secret_masking import HIDDEN_IN_URLS, HIDDEN_KEYS
from kafkastream.spark.crash_notes import make_folder
from kafkastream.spark.internals.jvm import (
    active_session_kept,
    add_to_class_path,
    forget_gateway,
    has_class,
    running_gateway,
    spark_home,
)
from kafkastream.spark.internals.python import DAEMON_MODULE, WORKER_DAEMON, share_workers
from kafkastream.spark.internals.running_spark import spark_is_running
from kafkastream.spark.session.descriptors import check_descriptor_limit
from kafkastream.spark.session.driver_python import provide_python
from kafkastream.spark.session.forked_python import fork_processes, interpreter_of_workers, is_own_python
from kafkastream.spark.session.jars import connector_jars, connector_version, jars_folder, spark_version
from kafkastream.spark.session.java_home import find_java
from kafkastream.spark.session.jvm import (
    ENVIRONMENT,
    LOG_VARIABLE,
    forward_signals,
    hush_end,
    launch,
    lost_jvm,
    own_words,
)
from kafkastream.spark.session.master import given_master, is_cluster
from kafkastream.spark.session.signals import exit_at_sigterm, interrupt_held_back
from kafkastream.spark.session.spark_versions import check_spark
from kafkastream.spark.session.worker_prints import take_prints

__all__ = ["add_jars", "local_frame", "spark_session"]

_CONNECTOR_CLASS = "org.apache.spark.sql.kafka010.KafkaSourceProvider"
_HIDDEN_OPTIONS = "spark.sql.redaction.options.regex"
_HIDDEN_SETTINGS = "spark.redaction.regex"
_PROGRAMS_SESSION = threading.Lock()
"""Held while another session is temporarily the active one: jobs create DataFrames in threads of their own."""
_LOCAL = "local[*,4]"
"""All cores; a task whose worker has died, or has lost its transaction slot, is retried, as on a cluster."""
_GENERATED_CLASSES: Final = "1000"
"""How many classes Spark keeps that it has generated of plans.

A query of eight stages has more than the default of 100, and then generates each again in each micro-batch:
https://github.com/apache/spark/blob/v4.2.1/sql/catalyst/src/main/scala/org/apache/spark/sql/internal/StaticSQLConf.scala.
"""


def local_frame(session: SparkSession, rows: Any, schema: Any = None) -> DataFrame:
    """Return a DataFrame of local rows, without changing the program's active session, as Spark would."""
    with _PROGRAMS_SESSION, active_session_kept(session):
        return session.createDataFrame(rows, schema)


def spark_session(python: str | None = None, *, has_epochs: bool = False) -> SparkSession:
    """Return the active session, or a new one; in either case with Spark's Kafka connector.

    Under ``spark-submit`` Spark's own settings rule. Otherwise Spark runs on this machine's cores, unless
    ``spark.master`` is set, and logs errors only, unless ``KAFKASTREAM_SPARK_LOG`` names a level such as ``INFO``.

    Args:
        python: Python of the workers; None for ``PYSPARK_PYTHON``, or else the program's own.
        has_epochs: Whether tasks of the latency mode will occupy slots, so that a new session needs more of them.

    Raises:
        UnsupportedFeatureError: Spark already runs with another Python for its workers; the session is one of Spark
            Connect; or PYSPARK_PIN_THREAD is false.
        ConnectorMissingError: Spark runs without its connector, and it cannot be added.
        SetupError: No Java, Spark is too old or does not start, or the connector's jars cannot be fetched.
        SparkLostError: Spark's JVM has died since an earlier job.
        KeyboardInterrupt: Ctrl-C came; the next call starts Spark.
    """
    _refuse_spark_connect()
    _refuse_unpaired_threads()
    exit_at_sigterm()
    lost = lost_jvm()
    if lost is not None:
        raise lost
    # Spark's workers would otherwise start python3, perhaps one without this package: pythonExec in
    # https://github.com/apache/spark/blob/v4.2.1/python/pyspark/core/context.py
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if python is not None and not spark_is_running():
        os.environ["PYSPARK_PYTHON"] = python
    # They log tracebacks of each failing callback and each failing plan, which the package's own errors translate:
    # https://github.com/apache/spark/blob/v4.2.1/python/pyspark/errors/exceptions/base.py
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    PySparkLogger.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)
    with _PROGRAMS_SESSION:
        session = _active_session() or _new_session(has_epochs=has_epochs)
    with interrupt_held_back():
        _prepare(session, python)
    return session


def _prepare(session: SparkSession, python: str | None) -> None:
    """Check a session, and set what jobs need."""
    check_spark(session.version, pyspark.__version__)
    forward_signals(running_gateway())
    hush_end(session.sparkContext)
    running = interpreter_of_workers(session.sparkContext)
    is_own = running == sys.executable and python is not None and is_own_python(python)
    if python not in {None, running} and not is_own:
        raise UnsupportedFeatureError(
            f"Spark runs already, and its workers' Python is {running}, not {python}",
            where="set_python_executable",
            now="Set it before the program's first job, or in PYSPARK_PYTHON before the program.",
        )
    provide_python(session.sparkContext)
    share_workers(session.sparkContext)
    _hide_secrets(session)
    _ensure_connector(session)


def _active_session() -> SparkSession | None:
    with interrupt_held_back():
        return SparkSession.getActiveSession()


def _new_session(*, has_epochs: bool) -> SparkSession:
    if spark_is_running() or "PYSPARK_GATEWAY_PORT" in os.environ:
        with interrupt_held_back():
            return SparkSession.builder.getOrCreate()
    check_spark(spark_version(), pyspark.__version__)
    check_descriptor_limit()
    if running_gateway() is not None:  # an earlier session was stopped, its JVM still runs
        return _session_on(running_gateway(), has_epochs=has_epochs)
    _share_import_path()
    make_folder()
    os.environ.setdefault("JAVA_HOME", str(find_java().parent.parent))
    gateway = launch(_configuration(has_epochs=has_epochs), jars_folder())
    try:
        return _session_on(gateway, has_epochs=has_epochs)
    except Py4JJavaError as error:
        why = own_words(str(error.java_exception))
        _discard(gateway)
        raise SetupError("Spark did not start", now=why) from None
    except KeyboardInterrupt:
        if not spark_is_running():  # the JVM may have a context that Python does not know, and would refuse another one
            _discard(gateway)
        raise


def _discard(gateway: Any) -> None:
    """End a JVM in the midst of Spark's start, so that the next session starts a JVM of its own."""
    gateway.shutdown()
    gateway.proc.stdin.close()  # the JVM ends with it
    forget_gateway()


def _session_on(gateway: Any, *, has_epochs: bool) -> SparkSession:
    """Start Spark in a JVM."""
    conf = _configuration(has_epochs=has_epochs)
    # The context sets a handler of Ctrl-C that kills the micro-batches of all jobs; the end of the block removes it.
    with interrupt_held_back():
        context = SparkContext(gateway=gateway, conf=conf)
    if _shares_machine(conf):
        take_prints(context)
        fork_processes(context)
    with interrupt_held_back():
        return SparkSession(context)


def _refuse_spark_connect() -> None:
    """Refuse to run on Spark Connect, whose client has neither the JVM nor the callbacks that a job needs."""
    names = [name for name in ("SPARK_REMOTE", "SPARK_CONNECT_MODE_ENABLED") if name in os.environ]
    if os.environ.get("SPARK_API_MODE", "").lower() == "connect":
        names.append("SPARK_API_MODE")
    connect = sys.modules.get("pyspark.sql.connect.session")
    if names or (connect is not None and connect.SparkSession.getActiveSession() is not None):
        raise UnsupportedFeatureError(
            "jobs do not run through Spark Connect yet",
            where=", ".join(names) or "the active SparkSession",
            now="Run the program where Spark's driver is: kafkastream run, or spark-submit with --master; "
            "unset SPARK_REMOTE, SPARK_CONNECT_MODE_ENABLED and SPARK_API_MODE.",
        )


def _refuse_unpaired_threads() -> None:
    """Refuse a setting with which a micro-batch cannot learn the query that it belongs to."""
    if os.environ.get("PYSPARK_PIN_THREAD", "true").lower() != "true":
        raise UnsupportedFeatureError(
            "PYSPARK_PIN_THREAD=false: a micro-batch could not find out its query, and transactions would get wrong names",
            where="the environment",
            now="Unset PYSPARK_PIN_THREAD; true is Spark's default.",
        )


def _configuration(*, has_epochs: bool) -> SparkConf:
    conf = SparkConf()
    master = given_master(os.environ, spark_home())
    if master is None and has_epochs:  # tasks of epochs mostly wait for records, but each occupies a slot
        cores = os.cpu_count() or 1
        conf.setIfMissing("spark.default.parallelism", str(cores))
        master = f"local[{2 * cores},4]"
    conf.setIfMissing("spark.master", master or _LOCAL)
    conf.setIfMissing("spark.app.name", Path(sys.argv[0]).stem or "kafkastream")
    conf.setIfMissing("spark.ui.showConsoleProgress", "false")
    conf.setIfMissing("spark.python.worker.faulthandler.enabled", "true")  # so that a crash has a traceback
    conf.setIfMissing("spark.sql.codegen.cache.maxEntries", _GENERATED_CLASSES)
    # Spark's own expressions know fewer names, and no URLs. The pages of a running Spark keep what it was started with:
    # https://github.com/apache/spark/blob/v4.2.1/core/src/main/scala/org/apache/spark/internal/config/package.scala
    known = conf.get(_HIDDEN_SETTINGS)
    conf.set(_HIDDEN_SETTINGS, f"{known}|{HIDDEN_KEYS}" if known else HIDDEN_KEYS)
    conf.setIfMissing("spark.redaction.string.regex", HIDDEN_IN_URLS)
    for name, value in ENVIRONMENT.items():
        conf.setIfMissing(f"spark.executorEnv.{name}", value)
    if _shares_machine(conf):
        conf.setIfMissing(DAEMON_MODULE, WORKER_DAEMON)
    _append(conf, "spark.jars", ",", ",".join(jar.as_uri() for jar in connector_jars()))
    _append(conf, "spark.driver.extraJavaOptions", " ", _log_options())
    return conf


def _shares_machine(conf: SparkConf) -> bool:
    """Return whether workers can be forked from a process that has imported what they need.

    They share this program's import path only on its machine, and imported libraries allow a fork only on Linux.
    """
    return not is_cluster(str(conf.get("spark.master"))) and sys.platform == "linux"


def _append(conf: SparkConf, key: str, separator: str, value: str) -> None:
    conf.set(key, separator.join(filter(None, (conf.get(key, ""), value))))


def _log_options() -> str:
    settings = f"-Dlog4j2.configurationFile={Path(__file__).with_name('log4j2.properties').as_uri()}"
    level = os.environ.get(LOG_VARIABLE)
    return f"{settings} -Dkafkastream.log.level={level} -Dkafkastream.log.failures={level}" if level else settings


def _share_import_path() -> None:
    """Let workers on this machine import what the program can, such as modules next to its script."""
    known = [entry for entry in sys.path if entry and Path(entry).is_dir()]
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys([*known, *filter(None, [os.environ.get("PYTHONPATH")])]))


def _hide_secrets(session: SparkSession) -> None:
    """Redact secrets in sources' options in plans, as ``explain`` and the web interface show them."""
    known = session.conf.get(_HIDDEN_OPTIONS) or HIDDEN_KEYS
    if HIDDEN_KEYS not in known:
        session.conf.set(_HIDDEN_OPTIONS, f"{known}|{HIDDEN_KEYS}")


def _ensure_connector(session: SparkSession) -> None:
    if not (_has_connector(session) or _add_connector(session)):
        raise ConnectorMissingError("Spark runs without its Kafka connector", now=_ways_to_start())


def _ways_to_start() -> str:
    with_jars = 'Start with: spark-submit --jars "$(kafkastream jars)" …'
    try:
        version = connector_version()
    except SetupError:
        return with_jars
    return f"{with_jars}   or: spark-submit --packages org.apache.spark:spark-sql-kafka-0-10_2.13:{version} …"


def add_jars(session: SparkSession, name: str, jars: Callable[[], Iterable[Path]], what: str, option: str) -> None:
    """Add jars to a running driver and its executors, unless they have them.

    Args:
        session: The session.
        name: Name of a class in the jars.
        jars: Returns the paths of the jars; only called if they are missing.
        what: Name of the jars, for errors.
        option: Option of ``kafkastream jars`` that prints them.

    Raises:
        ConnectorMissingError: Spark's driver cannot take further jars.
        JarsUnavailableError: The jars could not be downloaded.
    """
    if not (has_class(session, name) or _add_jars(session, jars(), name)):
        raise ConnectorMissingError(
            f"Spark runs without {what}",
            now=f'Start with: spark-submit --jars "$(kafkastream jars),$(kafkastream jars {option})" …',
        )


def _has_connector(session: SparkSession) -> bool:
    return has_class(session, _CONNECTOR_CLASS)


def _add_connector(session: SparkSession) -> bool:
    try:
        return _add_jars(session, connector_jars(), _CONNECTOR_CLASS)
    except SetupError:
        return False


def _add_jars(session: SparkSession, jars: Iterable[Path], name: str) -> bool:
    """Add jars to a running driver and its executors, if the driver's class loader supports it."""
    return add_to_class_path(session, jars) and has_class(session, name)
