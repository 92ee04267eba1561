"""A job that fails is started again by its strategy, and goes on as if it had not failed."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kafkastream.common import JobStatus, RestartStrategies, Types
from kafkastream.datastream import MapFunction, RuntimeContext, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import DeliveryGuarantee, KafkaOffsetsInitializer
from kafkastream.errors import UserFunctionError
from kafkastream.model.functions.keyed_state import ValueState
from kafkastream.model.functions.state_descriptors import ValueStateDescriptor
from kafkastream.testing import wait_until
from kafkastream.testing.pytest_plugin import NewTopic

if TYPE_CHECKING:
    from tests.integration.conftest import Parts, Read


class FailingAt(MapFunction[str, str]):
    """Raises at a value, so often; how often it has raised is known by files. Its instances know when they were opened."""

    def __init__(self, folder: Path, value: str, times: int) -> None:
        self.folder = folder
        self.value = value
        self.times = times

    def open(self, runtime_context: RuntimeContext) -> None:
        (self.folder / f"attempt-{runtime_context.get_attempt_number()}").touch()

    def map(self, value: str) -> str:
        failures = len(list(self.folder.glob("failure-*")))
        if value == self.value and failures < self.times:
            (self.folder / f"failure-{failures}").touch()
            raise ConnectionError(f"failure {failures}")
        return value

    @property
    def seen(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())


class Counted(MapFunction[str, str]):
    """The how manieth of its key an element is."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self.count: ValueState[int] = runtime_context.get_state(ValueStateDescriptor("count", Types.INT()))

    def map(self, value: str) -> str:
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        return f"{value} {count}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "function"
    made.mkdir()
    return made


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]


def test_state_and_exactly_once_output_survive_restarts(
    env: StreamExecutionEnvironment,
    read: Read,
    parts: Parts,
    new_topic: NewTopic,
    tmp_path: Path,
    folder: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    topic, target = new_topic(), new_topic()
    parts.kafka.produce(topic, ["a", "b", "a", "b", "bad", "a", "bad", "b"])
    env.set_parallelism(1).enable_checkpointing(1)
    env.get_checkpoint_config().set_checkpoint_storage_dir((tmp_path / "checkpoints").as_uri())
    env.set_restart_strategy(RestartStrategies.fixed_delay_restart(2, 10))
    source = parts.unbound(topic).set_bounded(KafkaOffsetsInitializer.latest())
    failing = FailingAt(folder, "bad", 2)
    stream = read(parts.text(source.set_property("spark.maxOffsetsPerTrigger", "4"))).map(failing, Types.STRING())
    counts = stream.key_by(lambda value: value).map(Counted(), Types.STRING())
    counts.sink_to(parts.sink_of(parts.serializer(target), guarantee=DeliveryGuarantee.EXACTLY_ONCE))
    with caplog.at_level(logging.WARNING, "kafkastream"):
        result = env.execute("counts")
    expected = ["a 1", "a 2", "a 3", "b 1", "b 2", "b 3", "bad 1", "bad 2"]
    assert parts.values(target, count=len(expected)) == expected
    assert failing.seen == ["attempt-0", "attempt-1", "attempt-2", "failure-0", "failure-1"]
    assert result.get_metrics()["counts.numRestarts"] == 2
    told = [text for text in warnings(caplog) if "started again" in text]
    assert told == [
        f"job 'counts' is started again in 0.01 s (restart {n}): [user-function] the function of operator 'Map' raised "
        f"ConnectionError: failure {n - 1}"
        for n in (1, 2)
    ]


def test_only_what_failed_is_started_again_and_it_goes_on_without_a_directory(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, new_topic: NewTopic, folder: Path
) -> None:
    topic, target = new_topic(), new_topic()
    env.set_restart_strategy(RestartStrategies.failure_rate_restart(1, 60_000, 2_000))
    env.from_collection(["from a collection"], Types.STRING()).sink_to(parts.sink(target))
    stream = read(parts.endless(topic)).map(FailingAt(folder, "bad", 1), Types.STRING())
    stream.sink_to(parts.sink(target))
    job = env.execute_async("parts")
    parts.kafka.produce(topic, ["before"])
    assert parts.values(target, count=2) == ["before", "from a collection"]
    parts.kafka.produce(topic, ["bad"])
    wait_until(lambda: job.get_job_status().result() is JobStatus.RESTARTING, 30, "the failure")
    parts.kafka.produce(topic, ["after"])
    assert parts.values(target, count=4) == ["after", "bad", "before", "from a collection"]
    wait_until(lambda: job.get_job_status().result() is JobStatus.RUNNING, 30, "the restart")
    job.cancel().result(60)
    assert job.get_metrics()["parts.numRestarts"] == 1
    assert len(parts.values(target)) == 4


def test_job_fails_with_the_last_error_when_there_are_no_more_restarts(
    env: StreamExecutionEnvironment, folder: Path
) -> None:
    env.set_restart_strategy(RestartStrategies.fixed_delay_restart(1, 0))
    failing = FailingAt(folder, "bad", 5)
    env.from_collection(["good", "bad"], Types.STRING()).map(failing).print()
    with pytest.raises(UserFunctionError, match="ConnectionError: failure 1"):
        env.execute("hopeless")
    assert failing.seen == ["attempt-0", "attempt-1", "failure-0", "failure-1"]
