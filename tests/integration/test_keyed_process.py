"""Functions on keyed streams: state, timers and watermarks mean what they mean in Flink."""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kafkastream.common import Configuration, Types, WatermarkStrategy
from kafkastream.datastream import (
    MapFunction,
    RuntimeContext,
    StreamExecutionEnvironment,
)
from kafkastream.datastream.connectors.kafka import DeliveryGuarantee
from kafkastream.datastream.functions import KeyedProcessFunction
from kafkastream.datastream.state import ValueStateDescriptor
from kafkastream.errors import DefinitionError, JobError, UserFunctionError
from kafkastream.model.formats import JsonRowDeserializationSchema
from kafkastream.spark.internals.partitioning import partition_of
from kafkastream.spark.plan import keyed_query
from kafkastream.testing import Record
from kafkastream.testing.pytest_plugin import NewTopic
from tests.integration.conftest import Parts
from tests.integration.timed import MONOTONOUS, Journal, at, key_of

pytestmark = pytest.mark.usefixtures("two_subtasks")


def test_buckets_that_share_a_partition_fail_the_job(
    env: StreamExecutionEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = [label for label in range(9) if partition_of(label, 2) == 1][:2]
    monkeypatch.setattr(keyed_query, "bucket_labels", lambda buckets: tuple(shared))  # as if Spark's hash were another
    stream = env.from_collection(["a", "b"], Types.STRING())
    stream.key_by(lambda value: value, Types.STRING()).reduce(lambda one, other: one + other).print()
    with pytest.raises(JobError, match=r"shuffled buckets \d and \d to one partition: it partitions by another hash"):
        env.execute("elsewhere")


def test_state_and_timers_outlive_a_restart(
    env: StreamExecutionEnvironment, parts: Parts, two: str, new_topic: NewTopic, tmp_path: Path
) -> None:
    target = new_topic()
    env.enable_checkpointing(1000).get_checkpoint_config().set_checkpoint_storage_dir(tmp_path.as_uri())

    def start() -> Any:
        stream = env.from_source(parts.endless(two), MONOTONOUS, "in").key_by(key_of)
        stream.process(Journal(), Types.STRING()).sink_to(parts.sink(target))
        return env.execute_async("again")

    parts.kafka.produce(two, [at(0, "a"), at(6, "b", 1)])
    job = start()
    parts.values(target, 2)
    job.cancel().result()
    parts.kafka.produce(two, [at(4, "a"), at(5.001, "b")])  # the watermark of the other partition is that of before
    env.set_parallelism(3)  # which the keys do not hear of
    job = start()
    try:
        parts.values(target, 4)
        parts.kafka.produce(two, [at(5.001, "c")])
        found = parts.values(target, 6)
    finally:
        job.cancel().result()
    assert set(found) == {
        "a@0 is a's 1",
        "b@6 is b's 1",
        "a@4 is a's 2",
        "b@5.001 is b's 2",
        "c@5.001 is c's 1",
        "a at 5, watermark 5, 2",
    }


def test_state_of_a_class_that_workers_cannot_import(env: StreamExecutionEnvironment) -> None:
    """A class that a function defines has no name by which another run could find it, so its code would be in state."""

    class Total:
        def __init__(self, amount: int) -> None:
            self.amount = amount

    class Sum(MapFunction[int, Total]):
        def open(self, runtime_context: RuntimeContext) -> None:
            self.total = runtime_context.get_state(ValueStateDescriptor("total", Types.PICKLED_BYTE_ARRAY()))

        def map(self, value: int) -> Total:
            before = self.total.value()
            total = Total(value if before is None else before.amount + value)
            self.total.update(total)
            return total

    totals = env.from_collection([1, 2, 3]).key_by(lambda _: "all").map(Sum()).map(lambda total: total.amount)
    with pytest.raises(DefinitionError, match="holds code, and not only values"):
        list(totals.execute_and_collect())
    env.configure(Configuration().set_string("kafkastream.state.allow-code", "true"))
    # Functions after a keyed operator have the job's limits for records, whose default is 1,000 digits.
    env.configure(Configuration().set_string("kafkastream.records.max-digits", "2000"))
    row = JsonRowDeserializationSchema.builder().type_info(Types.ROW_NAMED(["n"], [Types.BIG_INT()])).build()
    number = b'{"n":%s}' % (b"9" * 1_500)
    sizes = totals.map(lambda total: (total, len(str(row.deserialize(number)))))
    assert sorted(sizes.execute_and_collect()) == [(total, len("Row(n=)") + 1_500) for total in (1, 3, 6)]


class Malicious:
    """Runs a command where it is unpickled."""

    def __init__(self, command: str) -> None:
        self._command = command

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (self._command,)


class Plant(KeyedProcessFunction[str, str, str]):
    """Puts a command into the state of its key, as somebody could who may write to the checkpoint directory."""

    def __init__(self, command: str) -> None:
        self._command = command

    def open(self, runtime_context: RuntimeContext) -> None:
        self.state = runtime_context.get_state(ValueStateDescriptor("planted", Types.PICKLED_BYTE_ARRAY()))

    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Iterator[str]:
        if not value.startswith("later"):
            self.state.update(Malicious(self._command))
        yield f"{value} {self.state.value() is not None}"


def test_a_command_in_a_checkpoint_is_refused_and_not_run(
    env: StreamExecutionEnvironment, parts: Parts, topic: str, new_topic: NewTopic, tmp_path: Path
) -> None:
    target, trace, folder = new_topic(), tmp_path / "trace", tmp_path / "checkpoints"
    env.enable_checkpointing(1000).get_checkpoint_config().set_checkpoint_storage_dir(folder.as_uri())
    plant = Plant(f"touch {trace}")

    def start() -> Any:
        stream = env.from_source(parts.endless(topic), WatermarkStrategy.no_watermarks(), "in").key_by(lambda _: "key")
        stream.process(plant, Types.STRING()).sink_to(parts.sink(target))
        return env.execute_async("planted")

    record = pickle.dumps(Malicious(f"touch {trace}"), 0).decode()  # a pickle that is also text
    parts.kafka.produce(topic, [Record(record, key=record, headers=[("h", record.encode())]), "first"])
    job = start()
    assert parts.values(target, 2)[-1] == "first True"
    job.cancel().result()
    assert not trace.exists(), "nothing unpickles records, nor text"
    parts.kafka.produce(topic, ["later"])
    with pytest.raises(UserFunctionError, match=r"posix\.system") as refusal:
        start().get_job_execution_result().result()
    assert not trace.exists()
    assert str(folder) in str(refusal.value)
    env.configure(Configuration().set_string("kafkastream.state.allow-code", "true"))
    job = start()
    parts.values(target, 3)
    job.cancel().result()
    assert trace.exists(), "with the option it is as in Flink and Spark: who can write to the directory can run code"


class Alarm(KeyedProcessFunction[str, str, str]):
    """Wakes up by the wall clock."""

    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> None:
        ctx.timer_service().register_processing_time_timer(ctx.timer_service().current_processing_time() + 2000)

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterator[str]:
        yield f"{ctx.get_current_key()} {ctx.time_domain().name} {0 <= time.time() * 1000 - timestamp < 20_000}"


def test_processing_time_timers_fire_without_elements(
    env: StreamExecutionEnvironment, parts: Parts, topic: str, new_topic: NewTopic
) -> None:
    target = new_topic()
    no_watermarks = WatermarkStrategy.no_watermarks()
    stream = env.from_source(parts.endless(topic), no_watermarks, "in").key_by(key_of).process(Alarm(), Types.STRING())
    stream.sink_to(parts.sink(target))
    parts.kafka.produce(topic, [at(0, "a")])
    job = env.execute_async("alarm")
    try:
        assert parts.values(target, 1) == ["a PROCESSING_TIME True"]
    finally:
        job.cancel().result()


class Retyped(Journal):
    def open(self, runtime_context: RuntimeContext) -> None:
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.STRING()))  # type: ignore[arg-type]  # what this test is about


def test_state_that_a_changed_program_cannot_use_is_refused_or_let_go(
    env: StreamExecutionEnvironment, parts: Parts, topic: str, new_topic: NewTopic, tmp_path: Path
) -> None:
    target = new_topic()
    env.enable_checkpointing(1000).get_checkpoint_config().set_checkpoint_storage_dir(tmp_path.as_uri())

    def start(function: KeyedProcessFunction[str, str, str], uid: str) -> Any:
        keyed = env.from_source(parts.endless(topic), MONOTONOUS, "in").key_by(key_of)
        again = keyed.process(function, Types.STRING()).uid(uid).key_by(key_of)
        stages = again.reduce(lambda _, new: new).name("last") if uid == "journal" else again
        stages.sink_to(parts.sink(target))
        return env.execute_async("changes")

    parts.kafka.produce(topic, [at(0, "a")])
    job = start(Journal(), "journal")
    parts.values(target, 1)
    job.cancel().result()
    parts.kafka.produce(topic, [at(1, "a")])
    with pytest.raises(
        DefinitionError, match="cannot map the checkpoint's state of operator with uid 'journal'"
    ) as raised:
        start(Journal(), "diary")
    assert raised.value.where == f"job 'changes', checkpoint {tmp_path.as_uri()}/changes/in"
    with pytest.raises(DefinitionError, match="state 'count' was a ValueStateDescriptor of Long") as raised:
        start(Retyped(), "journal").get_job_execution_result().result()
    assert raised.value.where == "operator 'KeyedProcess'"
    assert parts.values(target) == ["a@0 is a's 1"]
    env.get_configuration().set_boolean("execution.state-recovery.ignore-unclaimed-state", True)
    job = start(Journal(), "diary")
    assert parts.values(target, 2) == ["a@0 is a's 1", "a@1 is a's 1"]
    job.cancel().result()


def test_exactly_once_behind_keys(env: StreamExecutionEnvironment, parts: Parts, two: str, new_topic: NewTopic) -> None:
    target = new_topic()
    parts.kafka.produce(two, [at(0, "a"), at(1, "b", 1), at(2, "a", 1)])
    counted = env.from_source(parts.bounded(two), MONOTONOUS, "in").key_by(key_of).process(Journal(), Types.STRING())
    counted.sink_to(parts.sink_of(parts.serializer(target), None, DeliveryGuarantee.EXACTLY_ONCE)).name("out")
    result = env.execute("surely")
    assert len(parts.values(target)) == 6
    assert result.get_metrics().total("transactionsCommitted") >= 2
    assert result.get_metrics().total("numRecordsSend") == 6
