"""The Spark session that a job runs in: the one there is, or a new one with the Kafka connector in place."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, Any

import pyspark
from py4j.protocol import Py4JJavaError
from pyspark import SparkConf, SparkContext
from pyspark.find_spark_home import _find_spark_home
from pyspark.java_gateway import launch_gateway
from pyspark.logger import PySparkLogger
from pyspark.sql import DataFrame, SparkSession

from kafkastream.errors import ConnectorMissingError, SetupError, UnsupportedFeatureError
from kafkastream.spark.descriptors import check_descriptor_limit
from kafkastream.spark.driver_python import provide_python
from kafkastream.spark.jars import connector_jars, connector_version, spark_version
from kafkastream.spark.java import find_java
from kafkastream.spark.master import given_master, is_cluster
from kafkastream.spark.versions import check_spark
from kafkastream.spec.values import HIDDEN_KEYS

__all__ = ["frame_of", "spark_session"]

LOG_VARIABLE = "KAFKASTREAM_SPARK_LOG"
_CONNECTOR_CLASS = "org.apache.spark.sql.kafka010.KafkaSourceProvider"
_HIDDEN_OPTIONS = "spark.sql.redaction.options.regex"
_LOCAL = "local[*,4]"
"""All cores; a task whose worker has died, or has lost its slot of a sink, is run again, as on a cluster."""
_STATE_REMARK = b"Streaming TransformWithStateInPandas Python worker"
_LAUNCH_NOISE = (b"WARNING: Using incubator modules:", b"WARNING: package sun.security.action not in java.base")


def frame_of(session: SparkSession, rows: Any, schema: Any = None) -> DataFrame:
    """A frame of rows that are here; Spark would make its session the program's active one, which it stays as it was."""
    sessions, before = _jvm(session).SparkSession, SparkSession._activeSession
    of_thread = sessions.getActiveSession()  # which Spark keeps for each thread, and Python for all
    try:
        return session.createDataFrame(rows, schema)
    finally:
        SparkSession._activeSession = before
        if of_thread.isDefined():
            sessions.setActiveSession(of_thread.get())
        else:
            sessions.clearActiveSession()


def spark_session(python: str | None = None) -> SparkSession:
    """The active session, or a new one; in either case with Spark's Kafka connector.

    Under ``spark-submit`` Spark's own settings rule. Otherwise Spark runs on this machine's cores, unless
    ``spark.master`` says else, and logs errors only, unless ``KAFKASTREAM_SPARK_LOG`` names a level such as ``INFO``.

    Args:
        python: The workers' Python; None for what ``PYSPARK_PYTHON`` says, or the program's own.

    Raises:
        UnsupportedFeatureError: Spark runs already, with another Python for its workers.
        ConnectorMissingError: Spark runs without its connector, and it cannot be added.
        SetupError: No Java, Spark is too old, or the connector's jars cannot be fetched.
    """
    # Spark's workers would start another Python, one without this package.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if python is not None and SparkContext._active_spark_context is None:
        os.environ["PYSPARK_PYTHON"] = python
    # They log the traceback of every callback that fails, and of every plan; our own errors say it in the user's words.
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    PySparkLogger.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)
    session = SparkSession.getActiveSession() or _new_session()
    check_spark(session.version, pyspark.__version__)
    if python not in {None, session.sparkContext.pythonExec}:
        raise UnsupportedFeatureError(
            f"Spark runs already, and its workers' Python is {session.sparkContext.pythonExec}, not {python}",
            where="set_python_executable",
            now="Set it before the program's first job, or in PYSPARK_PYTHON before the program.",
        )
    provide_python(session.sparkContext)
    # A second job on a checkpoint directory is refused; Spark would stop the first without a word.
    session.conf.set("spark.sql.streaming.stopActiveRunOnRestart", "false")
    _hide_secrets(session)
    _ensure_connector(session)
    return session


def _new_session() -> SparkSession:
    if SparkContext._active_spark_context is not None or "PYSPARK_GATEWAY_PORT" in os.environ:
        return SparkSession.builder.getOrCreate()
    check_spark(spark_version(), pyspark.__version__)
    check_descriptor_limit()
    _share_import_path()
    os.environ.setdefault("JAVA_HOME", str(find_java().parent.parent))
    gateway = launch_gateway(_configuration(), {"stderr": subprocess.PIPE})
    _pass_on(gateway.proc.stderr)
    return SparkSession(SparkContext(gateway=gateway, conf=_configuration()))


def _configuration() -> SparkConf:
    conf = SparkConf()
    conf.setIfMissing("spark.master", given_master(os.environ, Path(_find_spark_home())) or _LOCAL)
    conf.setIfMissing("spark.app.name", Path(sys.argv[0]).stem or "kafkastream")
    conf.setIfMissing("spark.ui.showConsoleProgress", "false")
    # Where workers import what this program can; elsewhere than on Linux, what is imported does not bear to be forked.
    if not is_cluster(str(conf.get("spark.master"))) and sys.platform == "linux":
        conf.setIfMissing("spark.python.daemon.module", "kafkastream.spark.daemon")
    _append(conf, "spark.jars", ",", ",".join(map(str, connector_jars())))
    _append(conf, "spark.driver.extraJavaOptions", " ", _log_options())
    return conf


def _append(conf: SparkConf, key: str, separator: str, value: str) -> None:
    conf.set(key, separator.join(filter(None, (conf.get(key, ""), value))))


def _log_options() -> str:
    settings = f"-Dlog4j2.configurationFile={Path(__file__).with_name('log4j2.properties').as_uri()}"
    level = os.environ.get(LOG_VARIABLE)
    return f"{settings} -Dkafkastream.log.level={level} -Dkafkastream.log.failures={level}" if level else settings


def _share_import_path() -> None:
    """Let workers on this machine import what the program can: the modules beside its script, say."""
    known = [entry for entry in sys.path if entry and Path(entry).is_dir()]
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys([*known, *filter(None, [os.environ.get("PYTHONPATH")])]))


def _pass_on(jvm_errors: IO[bytes]) -> None:
    """Show what the JVM and the workers write to standard error, without the JVM's remarks on its own start."""

    def copy() -> None:
        after_remark = False
        for line in jvm_errors:
            is_remark = _STATE_REMARK in line or (after_remark and line == b"\n")
            if not is_remark and not line.startswith(_LAUNCH_NOISE):
                sys.stderr.buffer.write(line)
                sys.stderr.flush()
            after_remark = is_remark

    threading.Thread(target=copy, name="spark-stderr", daemon=True).start()


def _hide_secrets(session: SparkSession) -> None:
    """Have plans, as ``explain`` and the web interface show them, leave out all secrets among a source's options."""
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


def _has_connector(session: SparkSession) -> bool:
    try:
        _jvm(session).java.lang.Thread.currentThread().getContextClassLoader().loadClass(_CONNECTOR_CLASS)
    except Py4JJavaError:
        return False
    return True


def _add_connector(session: SparkSession) -> bool:
    """Give a running driver and its executors the jars; works where Spark's driver has a class loader that can grow."""
    jvm = _jvm(session)
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    if not loader.getClass().getName().endswith("MutableURLClassLoader"):
        return False
    try:
        jars = connector_jars()
    except SetupError:
        return False
    for jar in jars:
        loader.addURL(jvm.java.net.URL(jar.as_uri()))
        session.sparkContext._jsc.sc().addJar(str(jar))
    return _has_connector(session)


def _jvm(session: SparkSession) -> Any:
    return session.sparkContext._jvm
