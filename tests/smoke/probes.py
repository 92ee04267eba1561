"""Calls each function of ``kafkastream.spark.internals`` on the Spark that is installed, and says which does not work.

The topic has a partition with one record.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import traceback
import zipfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import pandas
import pyarrow as pa
from pyspark import SparkConf, SparkContext
from pyspark.sql import DataFrame, SparkSession, functions
from pyspark.sql.streaming.listener import StreamingQueryListener
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import BinaryType, IntegerType, StringType, StructField, StructType, TimestampType

from kafkastream.model.formats.malformed import RecordLimits, record_limits
from kafkastream.operators.state.state_pickles import read_state_of
from kafkastream.spark.exchange.buckets import bucket_labels
from kafkastream.spark.internals import (
    checkpoints,
    conditions,
    jvm,
    partitioning,
    pickles,
    python,
    queries,
    running_spark,
    state_server,
)
from kafkastream.spark.session.query_settings import NAMED_SOURCES, settings
from kafkastream.testing import KafkaBroker, wait_until

PATIENCE_S = 60.0
STATE = {
    "spark.sql.streaming.stateStore.providerClass": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    "spark.sql.shuffle.partitions": "1",
    checkpoints.STATE_FORMAT: "2",
}


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
    assert running_spark.spark_is_running()
    assert (jvm.spark_home() / "jars").is_dir()
    running = jvm.running_gateway()
    jvm.answer_callbacks(running)
    jvm.forget_gateway()
    try:
        assert jvm.running_gateway() is None
    finally:
        SparkContext._ensure_initialized(gateway=running)  # as the next context would, with a gateway of its own
    assert jvm.running_gateway() is running


def another_jvm(_: SparkSession) -> None:
    begun = []

    def popen(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        begun.append(subprocess.Popen(*arguments, **options))
        return begun[-1]

    other = jvm.launch_gateway(SparkConf(loadDefaults=False), {"stderr": subprocess.DEVNULL}, popen)
    try:
        assert other.jvm.java.lang.Math.abs(-3) == 3
    finally:
        other.shutdown()
        (process,) = begun
        process.communicate(timeout=PATIENCE_S)  # closes its standard input, the sign to end


def files(session: SparkSession, folder: Path) -> None:
    path = jvm.java_path(session, folder.as_uri())
    assert jvm.file_system(session, path).exists(path)


def class_path(session: SparkSession, folder: Path) -> None:
    assert jvm.has_class(session, "org.apache.spark.sql.SparkSession")
    assert not jvm.has_class(session, "no.such.Class")
    with zipfile.ZipFile(folder / "probe.jar", "w") as jar:
        jar.writestr("probe-of-kafkastream.txt", "")
    assert jvm.add_to_class_path(session, [folder / "probe.jar"])
    thread = jvm.java_class(session, "java.lang.Thread").currentThread()
    assert thread.getContextClassLoader().getResource("probe-of-kafkastream.txt") is not None


def active_session(session: SparkSession) -> None:
    other = session.newSession()
    before = SparkSession.getActiveSession()
    with jvm.active_session_kept(session):
        other.createDataFrame([(1,)], "n INT")
    assert SparkSession.getActiveSession() is before
    sessions = jvm.java_class(session, "org.apache.spark.sql.classic.SparkSession")
    with jvm.keep_session_active(other):
        assert sessions.getActiveSession().get().equals(jvm.java_session(other))
    assert not sessions.getActiveSession().isDefined() or sessions.getActiveSession().get().equals(
        jvm.java_session(session)
    )


def slots(session: SparkSession) -> None:
    """One executor, the driver, runs as many tasks at a time as its master has threads."""
    context = session.sparkContext
    assert (context.master or "").startswith("local["), context.master
    assert jvm.task_slots(context) == context.defaultParallelism


def frames(session: SparkSession) -> None:
    assert jvm.java_frame(session.range(3)).count() == 3


def accumulators(session: SparkSession) -> None:
    server: Any = vars(session.sparkContext).get("_accumulatorServer") or getattr(
        type(session.sparkContext), "_accumulatorServer", None
    )
    vars(server).pop("handle_error", None)
    jvm.wrap_accumulator_errors(session.sparkContext, lambda: True)
    assert "handle_error" in vars(server)


def pickled(_: SparkSession) -> None:
    number = 3
    assert pickle.loads(pickles.dumps(lambda: number))() == 3
    assert pickle.loads(pickles.element_dumps(lambda: number))() == 3
    read_state_of("", allows_code=True)
    assert pickle.loads(pickles.state_dumps(lambda: number))() == 3
    read_state_of("", allows_code=False)


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
    for name in (*python.WORKER_MODULES, python.WORKER_DAEMON):
        import_module(name)
    daemon = session.sparkContext.getConf().get(python.DAEMON_MODULE)
    found = session.sparkContext.parallelize([0], 1).map(lambda _: "pyarrow.acero" in sys.modules).collect()
    assert found == [True], f"workers are not forked of {daemon}"


def prompt_input(session: SparkSession) -> None:
    """A worker finds its connection to Spark when it unpickles a task."""

    def connections(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        assert isinstance(python.PromptInput(), python.PromptInput)
        for _ in batches:
            yield pa.RecordBatch.from_arrays([pa.array([len(python._connections())], pa.int32())], names=["n"])

    (row,) = python.map_in_arrow(session.range(0, 1, 1, 1), connections, "n INT").collect()
    assert row[0] >= 1


def limits(session: SparkSession) -> None:
    """Tasks have the limits for records of their session."""

    def depths(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            yield pa.RecordBatch.from_arrays([pa.array([record_limits().depth], pa.int32())], names=["depth"])

    own = session.newSession()
    python.set_record_limits(own, RecordLimits(depth=17))
    assert python.record_limits_of(own) == RecordLimits(depth=17)
    (row,) = python.map_in_arrow(own.range(0, 1, 1, 1), depths, "depth INT").collect()
    assert row[0] == 17


def daemon(_: SparkSession) -> None:
    """The daemon tells the port at which it listens, and ends with its standard input."""
    name = f"from {python.__name__} import {python.run_daemon.__name__} as run; run()"
    run = subprocess.run([sys.executable, "-c", name], input=b"", capture_output=True, timeout=PATIENCE_S, check=False)
    assert not run.stderr, run.stderr
    assert 0 < int.from_bytes(run.stdout[:4], "big") < 2**16, run.stdout


def worker_environment(session: SparkSession) -> None:
    context = session.sparkContext
    assert Path(python.python_of_workers(context)).name.startswith("python")
    python.set_worker_variable(context, "KAFKASTREAM_PROBE", "1")
    try:
        assert python.variables_of_workers(context)["KAFKASTREAM_PROBE"] == "1"
        assert context.parallelize([0], 1).map(lambda _: os.environ["KAFKASTREAM_PROBE"]).collect() == ["1"]
    finally:
        context.environment.pop("KAFKASTREAM_PROBE")


def forked_python(session: SparkSession, folder: Path) -> None:
    """Spark starts the program that it is given, with ``-m`` and a known module."""
    for name in (*python.FORKED_MODULES, *python.PLANNING_MODULES):
        import_module(name)
    context, script, log = session.sparkContext, folder / "python", folder / "started"
    given = python.python_of_workers(context)
    script.write_text(f'#!/bin/sh\necho "$1 $2" >> {log}\nexec {given} "$@"\n')
    script.chmod(0o755)
    python.set_python_of_workers(context, str(script))
    try:
        assert context.parallelize([0], 1).map(lambda _: 1).collect() == [1]
    finally:
        python.set_python_of_workers(context, given)
    known = [f"-m {name}" for name in python.FORKED_MODULES]
    assert [line for line in log.read_text().splitlines() if line not in known] == []


def error_conditions(session: SparkSession) -> None:
    asked = (
        lambda: session.sql("SELECT no_such_column FROM RANGE(1)"),
        lambda: jvm.java_session(session).sql("SELECT no_such_column FROM RANGE(1)"),
    )
    for ask in asked:
        error = raised(ask)
        assert conditions.error_conditions(error)[0] == "UNRESOLVED_COLUMN.WITH_SUGGESTION", error
    assert conditions.error_conditions(ValueError("x")) == ()
    ended = (
        session.readStream.format("rate").load().selectExpr("raise_error('x') AS y").writeStream.format("noop").start()
    )
    wait_until(lambda: not ended.isActive, PATIENCE_S, "the end of the query")
    error_of_query = conditions.exception_of(ended)
    assert error_of_query is not None
    assert conditions.raised_text(error_of_query) == "x", conditions.error_conditions(error_of_query)


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


def query_listeners(session: SparkSession) -> None:
    heard = threading.Event()

    class Listener(StreamingQueryListener):
        def onQueryStarted(self, event: object) -> None:
            heard.set()

        def onQueryProgress(self, event: object) -> None: ...
        def onQueryTerminated(self, event: object) -> None: ...

    other, listener = session.newSession(), Listener()
    session.streams.addListener(listener)
    try:
        queries.copy_query_listeners(session, other)
        query = other.readStream.format("rate").load().writeStream.format("noop").start()
        assert heard.wait(PATIENCE_S)
        query.stop()
        bus = cast("Any", session.sparkContext)._jsc.sc().listenerBus()
        before = bus.listeners().size()
        queries.forget_query_listeners(other)
        assert bus.listeners().size() == before - 1
    finally:
        session.streams.removeListener(listener)


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
    callback = queries.BatchCallback(session, look)
    query: StreamingQuery = writer.foreachBatch(callback).start()
    started.set()
    try:
        wait_until(lambda: may_end.is_set() or not query.isActive, PATIENCE_S, "the first micro-batch")
        wait_until(lambda: Reader.asked or not query.isActive, PATIENCE_S, "a question to the offset reader")
        assert query.isActive, query.exception()
    finally:
        query.stop()
    threads = threading.active_count()
    callback.release()
    wait_until(lambda: threading.active_count() < threads, PATIENCE_S, "the end of the connection's thread")
    assert (found["id"], found["rows"]) == (str(query.id), 1)
    told = queries.progress_after(query, "")
    assert all(isinstance(one, queries.StreamingQueryProgress) for one in told)
    ran = [one for one in told if "addBatch" in one["durationMs"]]
    assert [one["batchId"] for one in ran][:1] == [0]
    assert queries.progress_after(query, max(one["timestamp"] for one in query.recentProgress)) == []
    assert found["at work"] >= 0
    kept = folder / "query"
    assert checkpoints.query_of_id_file((kept / checkpoints.id_file(".")).read_text()) == str(query.id)
    first = checkpoints.LoggedOffsets.of_text((kept / checkpoints.OFFSETS / "0").read_text(), str(kept))
    assert first.offsets == (f'{{"{topic}":{{"0":1}}}}',)
    assert (kept / checkpoints.COMMITS / "0").exists()


class Counts(StatefulProcessor):
    """Counts rows by key, in state."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.counts = handle.getValueState("counts", "n INT")

    def handleInputRows(self, key: Any, rows: Iterator[Any], timers: Any) -> Iterator[Any]:
        (known,) = self.counts.get() or (0,)
        count = known + sum(map(len, rows))
        self.counts.update((count,))
        yield pandas.DataFrame({"key": [key[0]], "n": [count], "daemon": [os.getppid()]})

    def close(self) -> None:
        pass


class Maps(StatefulProcessor):
    """Changes a map of bytes, and gives the number of values that are then as they should be."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        columns = StructType([StructField("bytes", BinaryType())])
        self.map = handle.getMapState("map", columns, columns)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timers: Any) -> Iterator[Any]:
        for _ in rows:
            pass
        values: dict[bytes, bytes | None] = {b"%d" % number: bytes(range(256)) * number for number in range(250)}
        state_server.change_map(self.map, values)
        removed: dict[bytes, bytes | None] = {b"7": None, b"none": None}
        state_server.change_map(self.map, removed)
        values |= removed
        found = zip(state_server.map_values(self.map, list(values)), values.values(), strict=True)
        right = sum(value == expected for value, expected in found)
        assert self.map.getValue((b"2",)) == (bytes(range(256)) * 2,)
        yield pandas.DataFrame({"key": [key[0]], "n": [right], "daemon": [os.getppid()]})

    def close(self) -> None:
        pass


def maps_of_state(session: SparkSession, servers: str, topic: str, folder: Path) -> None:
    """Values of a map are read and written many at a time, in the order of their keys."""
    ((right, _),) = count_once(session, servers, topic, folder / "maps", Maps())
    assert right == 251


def shared_workers(session: SparkSession, servers: str, topic: str, folder: Path) -> None:
    """Tasks with state and others have workers of one daemon."""
    python.share_workers(session.sparkContext)

    def daemon(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            yield pa.RecordBatch.from_arrays([pa.array([os.getppid()], pa.int32())], names=["daemon"])

    (row,) = session.range(0, 1, 1, 1).mapInArrow(daemon, "daemon INT").collect()
    ((_, other),) = count_once(session, servers, topic, folder / "shared")
    assert row[0] == other


def kept_state(session: SparkSession, servers: str, topic: str, folder: Path) -> None:
    """The files of a named source and of state are where they are looked for; state goes on in a folder that was moved."""
    before = folder / "stateful"

    def counted(folder: Path) -> list[int]:
        return [count for count, _ in count_once(session, servers, topic, folder)]

    assert counted(before) == [1]
    assert (folder / checkpoints.source_file("stateful", "words")).exists()
    assert [one.name for one in (folder / checkpoints.state_folder("stateful")).iterdir()] == ["0"]
    after = before.rename(folder / "moved")
    state = after / "state" / "0"
    (metadata,) = Path(checkpoints.state_metadata_folder(str(state))).glob("[0-9]*")
    written = metadata.read_text()
    assert checkpoints.state_format_of_commit((after / checkpoints.COMMITS / "0").read_text()) == "2"
    assert list(Path(checkpoints.state_folder(str(after))).glob("0/0/1_*"))
    assert before.as_uri().removeprefix("file://") in written
    metadata.write_text(checkpoints.state_metadata_moved(written, state.as_uri()))
    assert before.as_uri().removeprefix("file://") not in metadata.read_text()
    metadata.with_name(f".{metadata.name}.crc").unlink(missing_ok=True)
    KafkaBroker(servers).produce(topic, ["b"])
    replaced = count_once(session, servers, topic, after, files=checkpoints.REPLACEABLE_LOCAL_FILES)
    assert [count for count, _ in replaced] == [2]


def count_once(
    session: SparkSession,
    servers: str,
    topic: str,
    folder: Path,
    processor: StatefulProcessor | None = None,
    files: Mapping[str, str] = checkpoints.LOCAL_FILES,
) -> list[tuple[int, int]]:
    """Count what a query has not read yet by its topic; return its counts, and the daemons of the workers."""
    told: list[tuple[int, int]] = []
    with settings(session, {**NAMED_SOURCES, **STATE, **files}):
        reader = session.readStream.format("kafka").option("kafka.bootstrap.servers", servers).name("words")
        records = reader.option("subscribe", topic).option("startingOffsets", "earliest").load()
        counts = (
            records.select("topic")
            .groupBy("topic")
            .transformWithStateInPandas(processor or Counts(), "key STRING, n INT, daemon INT", "Append", "None")
        )
        writer = counts.writeStream.option("checkpointLocation", folder.as_uri()).trigger(availableNow=True)
        query = writer.foreachBatch(lambda batch, _: told.extend((row[1], row[2]) for row in batch.collect())).start()
        assert query.awaitTermination(int(PATIENCE_S))
    return told


def probes(session: SparkSession, servers: str, topic: str, folder: Path) -> dict[str, Callable[[], None]]:
    """Return the probes by their names."""
    return {
        "gateway": partial(gateway, session),
        "files": partial(files, session, folder),
        "class path": partial(class_path, session, folder),
        "active session": partial(active_session, session),
        "slots": partial(slots, session),
        "frames": partial(frames, session),
        "accumulators": partial(accumulators, session),
        "pickles": partial(pickled, session),
        "arrow": partial(arrow, session),
        "arrow functions": partial(arrow_functions, session),
        "workers": partial(workers, session),
        "worker environment": partial(worker_environment, session),
        "forked Python": partial(forked_python, session, folder),
        "shared workers": partial(shared_workers, session, servers, topic, folder),
        "maps of state": partial(maps_of_state, session, servers, topic, folder),
        "error conditions": partial(error_conditions, session),
        "shuffles": partial(shuffles, session),
        "another JVM": partial(another_jvm, session),
        "daemon": partial(daemon, session),
        "prompt input": partial(prompt_input, session),
        "limits for records": partial(limits, session),
        "query listeners": partial(query_listeners, session),
        "running query": partial(running_query, session, servers, topic, folder),
        "kept state": partial(kept_state, session, servers, topic, folder),
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
