"""Calls each function of ``kafkastream.spark.internals`` on the Spark that is installed, and says which does not work.

The topic has a partition with one record.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
import traceback
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession, functions
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.types import IntegerType, StringType, StructField, StructType, TimestampType

from kafkastream.spark.exchange.buckets import bucket_labels
from kafkastream.spark.internals import checkpoints, conditions, jvm, partitioning, python, queries
from kafkastream.testing import wait_until

PATIENCE_S = 60.0


class Reader(queries.OffsetReader):
    """Hands questions on, and remembers them."""

    asked: set[str] = set()  # noqa: RUF012 - py4j makes objects of its own

    def __init__(self, reader: Any) -> None:
        self._reader = reader

    def fetchLatestOffsets(self, known: Any) -> Any:
        self.asked.add("fetchLatestOffsets")
        return self._reader.fetchLatestOffsets(known)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)


def gateway(_: SparkSession) -> None:
    assert jvm.spark_is_running()
    assert (jvm.spark_home() / "jars").is_dir()
    jvm.answer_callbacks(jvm.running_gateway())


def files(session: SparkSession, folder: Path) -> None:
    path = jvm.java_path(session, folder.as_uri())
    assert jvm.file_system(session, path).exists(path)


def class_path(session: SparkSession, folder: Path) -> None:
    assert jvm.has_class(session, "org.apache.spark.sql.SparkSession")
    assert not jvm.has_class(session, "no.such.Class")
    with zipfile.ZipFile(folder / "probe.jar", "w") as jar:
        jar.writestr("probe-of-kafkastream.txt", "")
    assert jvm.add_to_class_path(session, [folder / "probe.jar"])
    thread = jvm.jvm_of(session).java.lang.Thread.currentThread()
    assert thread.getContextClassLoader().getResource("probe-of-kafkastream.txt") is not None


def active_session(session: SparkSession) -> None:
    other = session.newSession()
    before = SparkSession.getActiveSession()
    with jvm.active_session_kept(session):
        other.createDataFrame([(1,)], "n INT")
    assert SparkSession.getActiveSession() is before
    sessions = jvm.jvm_of(session).SparkSession
    with jvm.keep_session_active(other):
        assert sessions.getActiveSession().get().equals(jvm.java_session(other))
    assert not sessions.getActiveSession().isDefined() or sessions.getActiveSession().get().equals(
        jvm.java_session(session)
    )


def frames(session: SparkSession) -> None:
    assert jvm.java_frame(session.range(3)).count() == 3


def accumulators(session: SparkSession) -> None:
    server: Any = vars(session.sparkContext).get("_accumulatorServer") or getattr(
        type(session.sparkContext), "_accumulatorServer", None
    )
    vars(server).pop("handle_error", None)
    jvm.wrap_accumulator_errors(session.sparkContext, lambda: True)
    assert "handle_error" in vars(server)


def pickles(_: SparkSession) -> None:
    number = 3
    assert pickle.loads(python.dumps(lambda: number))() == 3


def arrow(_: SparkSession) -> None:
    assert python.arrow_type_of(TimestampType()) == pa.timestamp("us", "UTC")
    schema = StructType([StructField("n", IntegerType()), StructField("s", StringType())])
    assert python.arrow_schema_of(schema) == pa.schema([pa.field("n", pa.int32()), pa.field("s", pa.string())])


def doubled(column: pa.Array) -> pa.Array:
    return pa.array([2 * number for number in column.to_pylist()], pa.int32())


def doubled_batches(batches: Iterator[pa.Array]) -> Iterator[pa.Array]:
    return map(doubled, batches)


def arrow_functions(session: SparkSession) -> None:
    register = partial(python.register_arrow_function, session, returns=IntegerType(), is_deterministic=True)
    register("doubled", doubled)
    register("doubled_batches", doubled_batches, takes_batches=True)
    numbers = session.range(3).selectExpr("CAST(id AS INT) AS n")
    for name in ("doubled", "doubled_batches"):
        assert [row[0] for row in numbers.selectExpr(f"{name}(n)").collect()] == [0, 2, 4], name


def workers(session: SparkSession) -> None:
    for name in python.WORKER_MODULES:
        import_module(name)
    daemon = session.sparkContext.getConf().get(python.DAEMON_MODULE)
    found = session.sparkContext.parallelize([0], 1).map(lambda _: "pyarrow.acero" in sys.modules).collect()
    assert found == [True], f"workers are not forked of {daemon}"


def worker_environment(session: SparkSession) -> None:
    context = session.sparkContext
    assert Path(python.python_of_workers(context)).name.startswith("python")
    python.set_worker_variable(context, "KAFKASTREAM_PROBE", "1")
    try:
        assert context.parallelize([0], 1).map(lambda _: os.environ["KAFKASTREAM_PROBE"]).collect() == ["1"]
    finally:
        context.environment.pop("KAFKASTREAM_PROBE")


def error_conditions(session: SparkSession) -> None:
    asked = (
        lambda: session.sql("SELECT no_such_column FROM RANGE(1)"),
        lambda: jvm.java_session(session).sql("SELECT no_such_column FROM RANGE(1)"),
    )
    for ask in asked:
        error = raised(ask)
        assert conditions.conditions_of(error)[0] == "UNRESOLVED_COLUMN.WITH_SUGGESTION", error
    assert conditions.conditions_of(ValueError("x")) == ()
    ended = (
        session.readStream.format("rate").load().selectExpr("raise_error('x') AS y").writeStream.format("noop").start()
    )
    wait_until(lambda: not ended.isActive, PATIENCE_S, "the end of the query")
    error_of_query = conditions.exception_of(ended)
    assert error_of_query is not None
    assert "USER_RAISED_EXCEPTION" in conditions.conditions_of(error_of_query), conditions.conditions_of(error_of_query)


def raised(call: Callable[[], object]) -> Exception:
    try:
        call()
    except Exception as error:  # noqa: BLE001 - to be looked at
        return error
    raise AssertionError("nothing was raised")


def shuffles(session: SparkSession) -> None:
    for partitions in (2, 7, 200):
        labels = [*bucket_labels(partitions), -1, 2**31 - 1]
        frame = session.createDataFrame([(label,) for label in labels], "label INT")
        sent = frame.repartition(partitions, "label").select("label", functions.spark_partition_id())
        for label, partition in sent.collect():
            assert partitioning.partition_of(label, partitions) == partition, (label, partitions)


def running_query(session: SparkSession, servers: str, topic: str, folder: Path) -> None:
    found: dict[str, Any] = {}
    started, may_end = threading.Event(), threading.Event()

    def look(batch: DataFrame, _: int) -> None:
        started.wait()
        if not found:
            found["id"] = queries.query_id(batch.sparkSession)
            found["rows"] = batch.count()
            (source,) = queries.sources_of(query)
            queries.replace_offset_reader(source, Reader)
            found["at work"] = queries.records_at_work(query)
            may_end.set()

    records = session.readStream.format("kafka").option("kafka.bootstrap.servers", servers)
    stream = records.option("subscribe", topic).option("startingOffsets", "earliest").load()
    writer = stream.writeStream.option("checkpointLocation", str(folder / "query"))
    query: StreamingQuery = writer.foreachBatch(look).start()
    started.set()
    try:
        wait_until(lambda: may_end.is_set() or not query.isActive, PATIENCE_S, "the first micro-batch")
        wait_until(lambda: Reader.asked or not query.isActive, PATIENCE_S, "a question to the offset reader")
        assert query.isActive, query.exception()
    finally:
        query.stop()
    assert (found["id"], found["rows"]) == (str(query.id), 1)
    assert found["at work"] >= 0
    kept = folder / "query"
    assert checkpoints.query_of_id_file((kept / checkpoints.id_file(".")).read_text()) == str(query.id)
    first = checkpoints.LoggedOffsets.of_text((kept / checkpoints.OFFSETS / "0").read_text(), str(kept))
    assert first.offsets == (f'{{"{topic}":{{"0":1}}}}',)
    assert (kept / checkpoints.COMMITS / "0").exists()


def probes(session: SparkSession, servers: str, topic: str, folder: Path) -> dict[str, Callable[[], None]]:
    """Return the probes by their names."""
    return {
        "gateway": partial(gateway, session),
        "files": partial(files, session, folder),
        "class path": partial(class_path, session, folder),
        "active session": partial(active_session, session),
        "frames": partial(frames, session),
        "accumulators": partial(accumulators, session),
        "pickles": partial(pickles, session),
        "arrow": partial(arrow, session),
        "arrow functions": partial(arrow_functions, session),
        "workers": partial(workers, session),
        "worker environment": partial(worker_environment, session),
        "error conditions": partial(error_conditions, session),
        "shuffles": partial(shuffles, session),
        "running query": partial(running_query, session, servers, topic, folder),
    }


def failures(servers: str, topic: str, folder: Path) -> list[str]:
    """Run all probes and return the names of those that fail; a traceback for each goes to standard error."""
    from kafkastream.spark.session.session import spark_session

    failed = []
    for name, probe in probes(spark_session(), servers, topic, folder).items():
        try:
            probe()
        except Exception:  # noqa: BLE001 - the insides of another Spark may be missing in any way
            failed.append(name)
            traceback.print_exc()
    return failed
