"""EXACTLY_ONCE sinks: what readers of committed records see, after ends, failures, kills and changes."""

from __future__ import annotations

import json
import time
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import Producer

from kafkastream.common import Types
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import DeliveryGuarantee, KafkaSink
from kafkastream.errors import DefinitionError, DeliveryError, JobError
from kafkastream.kafka.producer import BY_KEY, Records
from kafkastream.kafka.properties import transactional_properties
from kafkastream.kafka.transactions import Marker, Slot, SlotTakenError
from kafkastream.spark.worker.slot_names import SlotNames
from kafkastream.testing import KafkaBroker, Record, wait_until
from kafkastream.testing.pytest_plugin import NewTopic
from tests.faults.victim import Victim

if TYPE_CHECKING:
    from tests.integration.conftest import Parts, Read


@pytest.fixture
def checkpoints(env: StreamExecutionEnvironment, tmp_path: Path) -> Path:
    env.enable_checkpointing(200).get_checkpoint_config().set_checkpoint_storage_dir(tmp_path.as_uri())
    return tmp_path


def exactly_once(parts: Parts, topic: str, prefix: str = "tests", **properties: str) -> KafkaSink[Any]:
    builder = KafkaSink.builder().set_bootstrap_servers(parts.kafka.bootstrap_servers)
    return (
        builder.set_record_serializer(parts.serializer(topic))
        .set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE)
        .set_transactional_id_prefix(prefix)
        .set_kafka_producer_config({key.replace("_", "."): value for key, value in properties.items()})
        .build()
    )


def test_bounded_job_commits_all(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, new_topic: NewTopic
) -> None:
    target = new_topic(2)
    parts.kafka.produce(topic, [str(number) for number in range(100)])
    read(parts.bounded(topic)).sink_to(exactly_once(parts, target)).name("copy")
    result = env.execute("all")
    assert parts.values(target) == sorted(str(number) for number in range(100))
    assert result.metrics.of_operator("Sink: copy").total("transactionsCommitted") == 1


def test_collection_is_committed_too(env: StreamExecutionEnvironment, parts: Parts, topic: str) -> None:
    env.from_collection(["a", "b"], Types.STRING()).sink_to(exactly_once(parts, topic))
    env.execute("collection")
    assert parts.values(topic) == ["a", "b"]


def test_collection_before_keys_is_committed_at_each_start(
    env: StreamExecutionEnvironment, parts: Parts, topic: str
) -> None:
    for _ in range(2):
        letters = env.from_collection(["a", "b"], Types.STRING())
        letters.sink_to(exactly_once(parts, topic))
        letters.key_by(str).map(str.upper, Types.STRING()).print()
        env.execute("collection")
    assert parts.values(topic) == ["a", "a", "b", "b"]


def test_runs_that_follow_each_other_write_what_is_new(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, new_topic: NewTopic, checkpoints: Path
) -> None:
    target = new_topic()
    for value in ("first", "second", "third"):
        parts.kafka.produce(topic, [value])
        read(parts.bounded(topic)).sink_to(exactly_once(parts, target)).name("copy")
        env.execute("follow")
    assert parts.values(target) == ["first", "second", "third"]


def test_job_cancelled_between_micro_batches_writes_what_is_new(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, new_topic: NewTopic, checkpoints: Path
) -> None:
    target = new_topic()
    for written in (["first"], ["first", "second"]):
        parts.kafka.produce(topic, written[-1:])
        read(parts.endless(topic)).sink_to(exactly_once(parts, target)).name("copy")
        job = env.execute_async("cancelled")
        ended = job.get_job_execution_result()
        wait_until(lambda written=written, ended=ended: ended.done() or parts.values(target) == written, 60, "records")  # type: ignore[misc]
        job.cancel().result(60)
        assert parts.values(target) == written


def test_failed_batch_shows_nothing_and_is_written_once_later(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, new_topic: NewTopic, checkpoints: Path
) -> None:
    target, flag = new_topic(), checkpoints / "flag"

    def fails_until_mended(value: str) -> str:
        if value == "3" and not flag.exists():
            raise ValueError(value)
        return value

    parts.kafka.produce(topic, [str(number) for number in range(5)])
    for mended in (False, True):
        stream = read(parts.bounded(topic)).map(fails_until_mended, Types.STRING())
        stream.sink_to(exactly_once(parts, target)).name("copy")
        if mended:
            flag.touch()
            env.execute("mended")
        else:
            with pytest.raises(JobError, match="ValueError: 3"):
                env.execute("mended")
            assert parts.values(target) == []
    assert parts.values(target) == ["0", "1", "2", "3", "4"]


def test_two_sources_united_into_one_sink(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, new_topic: NewTopic, checkpoints: Path
) -> None:
    left, right, target, flag = new_topic(2), new_topic(), new_topic(), checkpoints / "flag"
    parts.kafka.produce(left, [Record(f"left {number}", partition=number % 2) for number in range(6)])
    parts.kafka.produce(right, [f"right {number}" for number in range(3)])

    def fails_until_mended(value: str) -> str:
        if value == "right 2" and not flag.exists():
            raise ValueError(value)
        return value

    for mended in (False, True):
        lefts, rights = (read(parts.bounded(topic), name) for topic, name in ((left, "left"), (right, "right")))
        united = lefts.union(rights).map(fails_until_mended, Types.STRING())
        united.sink_to(exactly_once(parts, target)).name("copy")
        if mended:
            flag.touch()
            env.execute("united")
        else:
            with pytest.raises(JobError, match="ValueError: right 2"):
                env.execute("united")
    assert parts.values(target) == [*(f"left {number}" for number in range(6)), *(f"right {n}" for n in range(3))]


def test_two_sinks_one_of_which_has_committed(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, new_topic: NewTopic, checkpoints: Path
) -> None:
    good, bad = new_topic(), new_topic(config={"max.message.bytes": "200"})
    parts.kafka.produce(topic, ["short", "x" * 500])
    for size in (500, 50):

        def shortened(value: str, size: int = size) -> str:
            return value[:size]

        stream = read(parts.bounded(topic))
        stream.sink_to(exactly_once(parts, good)).name("good")
        stream.map(shortened, Types.STRING()).sink_to(exactly_once(parts, bad)).name("bad")
        if size > 200:
            with pytest.raises(DeliveryError, match="'bad' could not write"):
                env.execute("two")
        else:
            env.execute("two")
    assert parts.values(good) == ["short", "x" * 500]
    assert parts.values(bad) == ["short", "x" * 50]


def test_producer_tells_of_itself(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, new_topic: NewTopic, checkpoints: Path
) -> None:
    target = new_topic()
    read(parts.endless(topic)).sink_to(exactly_once(parts, target)).name("copy")
    job = env.execute_async("told")

    def told(metric: str) -> float:
        parts.kafka.produce(topic, ["x"])
        values = (value for name, value in job.get_metrics().items() if name.endswith(metric))
        return max((value for value in values if isinstance(value, float)), default=0.0)

    try:
        for metric in ("KafkaProducer.request-total", "KafkaProducer.record-send-total", ".currentSendTime"):
            wait_until(partial(told, metric), 60, metric)
    finally:
        job.cancel().result()


@pytest.mark.nightly
@pytest.mark.timeout(400)
def test_job_that_is_down_for_longer_than_its_transactions_may_take(
    parts: Parts, topic: str, new_topic: NewTopic, tmp_path: Path
) -> None:
    """Killed in mid-transaction, it loses and doubles nothing; until that times out, it holds up readers of the topic."""
    target = new_topic()
    parts.kafka.produce(topic, ["0", "1", "2"])
    arguments = (parts.kafka.bootstrap_servers, topic, target, tmp_path, DeliveryGuarantee.EXACTLY_ONCE.name)
    with Victim(*arguments, more=("5000",)) as victim:
        victim.hit("before-commit", "stall")
        victim.kill_all()
        assert len(parts.kafka.consume(target, isolation="read_uncommitted")) == 3
        parts.kafka.produce(target, ["of another producer"])
        assert parts.kafka.consume(target) == []
        wait_until(lambda: parts.values(target) == ["of another producer"], 60, "the end of the transaction")
        victim.ensure_running()
        wait_until(lambda: len(parts.values(target)) >= 4, 150, "all records")
    assert [str(value).split()[0] for value in parts.values(target)] == ["0", "1", "2", "of"]


def test_open_transaction_of_a_dead_job_ends_when_the_job_is_back(kafka: KafkaBroker, topic: str) -> None:
    properties = transactional_properties({"bootstrap.servers": kafka.bootstrap_servers})
    dead = Producer({**properties.producer, "transactional.id": f"{topic}-slot"})
    dead.init_transactions(30)
    dead.begin_transaction()
    dead.produce(topic, "half")
    dead.flush()
    kafka.produce(topic, ["of another producer"])
    assert kafka.consume(topic) == []
    assert Slot(properties, f"{topic}-slot", "sink", topic).marker is None
    assert [record.value for record in kafka.consume(topic, count=1)] == [b"of another producer"]


def test_writer_that_was_overtaken_is_told_so(kafka: KafkaBroker, topic: str) -> None:
    """Its task then looks at how far the slot has come; Spark need not repeat it."""
    properties = transactional_properties({"bootstrap.servers": kafka.bootstrap_servers})

    def written(slot: Slot, value: str, batch: int) -> None:
        slot.publish([Records(repeat(topic), [value], repeat(None), repeat(BY_KEY), repeat(0))], Marker(batch))

    for batch in (1, 3):
        old = Slot(properties, f"{topic}-slot", "sink", topic)
        written(old, f"{batch}", batch)
        new = Slot(properties, f"{topic}-slot", "sink", topic)
        assert new.marker == Marker(batch)
        with pytest.raises(SlotTakenError):
            written(old, "lost", batch + 1)
        written(new, f"{batch + 1}", batch + 1)
    assert [record.value for record in kafka.consume(topic)] == [b"1", b"2", b"3", b"4"]


def test_renamed_sink_or_prefix_is_refused(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, new_topic: NewTopic, checkpoints: Path
) -> None:
    target = new_topic()
    for prefix in ("one", "another"):
        read(parts.bounded(topic)).sink_to(exactly_once(parts, target, prefix)).name("copy")
        if prefix == "one":
            env.execute("names")
        else:
            with pytest.raises(DefinitionError, match="'copy' with prefix 'one'; now they are 'copy' with prefix"):
                env.execute("names")


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ({"acks": "1"}, "EXACTLY_ONCE needs acks = all, not '1'"),
        ({"enable_idempotence": "false"}, "EXACTLY_ONCE needs enable.idempotence = true"),
        ({"transactional_id": "mine"}, "transactional.id cannot be set: the sink chooses it"),
        ({"transaction_timeout_ms": "3600000"}, "exceeds the brokers' transaction.max.timeout.ms"),
    ],
)
def test_properties_that_contradict_it(
    env: StreamExecutionEnvironment, parts: Parts, read: Read, topic: str, properties: dict[str, str], message: str
) -> None:
    parts.kafka.produce(topic, ["x"])
    read(parts.bounded(topic)).sink_to(exactly_once(parts, topic, **properties))
    with pytest.raises(DefinitionError, match=message):
        env.execute("contradiction")


def interrupted_batch(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, target: str, **properties: str
) -> None:
    """A job whose first micro-batch has failed before it wrote anything."""
    parts.kafka.produce(topic, ["1", "2"])

    def fail(_: str) -> str:
        raise ValueError("interrupted")

    read(parts.endless(topic)).map(fail, Types.STRING()).sink_to(exactly_once(parts, target, **properties)).name("copy")
    with pytest.raises(JobError, match="interrupted"):
        env.execute("aged")


def planned_long_ago(checkpoints: Path) -> None:
    """Let Spark's log say that the batch was begun a month ago."""
    planned = checkpoints / "aged" / "records" / "offsets" / "0"
    version, about, *sources = planned.read_text().splitlines()
    old = json.loads(about) | {"batchTimestampMs": int((time.time() - 30 * 86400) * 1000)}
    planned.write_text("\n".join((version, json.dumps(old), *sources)))
    (planned.parent / ".0.crc").unlink()


def test_marker_that_may_have_expired_stops_the_job(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, new_topic: NewTopic, checkpoints: Path
) -> None:
    target = new_topic()
    interrupted_batch(env, read, parts, topic, target)
    planned_long_ago(checkpoints)
    read(parts.endless(topic)).sink_to(exactly_once(parts, target)).name("copy")
    with pytest.raises(JobError, match=r"it is unknown whether sink 'copy' has written micro-batch 0.*30\.0 days ago"):
        env.execute("aged")


@pytest.mark.parametrize(("choice", "expected"), [("replay", ["1", "2", "3"]), ("skip", ["3"])])
def test_user_decides_about_an_expired_marker(
    env: StreamExecutionEnvironment,
    read: Read,
    parts: Parts,
    topic: str,
    new_topic: NewTopic,
    checkpoints: Path,
    choice: str,
    expected: list[str],
) -> None:
    target = new_topic()
    interrupted_batch(env, read, parts, topic, target)
    planned_long_ago(checkpoints)
    parts.kafka.produce(topic, ["3"])
    sink = exactly_once(parts, target, on_expired_marker=choice)
    read(parts.endless(topic)).sink_to(sink).name("copy")
    job = env.execute_async("aged")
    try:
        wait_until(lambda: parts.values(target) == expected, 60, f"the values {expected}")
    finally:
        job.cancel().result()


def test_checkpoint_older_than_what_was_written_is_refused(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, new_topic: NewTopic, checkpoints: Path
) -> None:
    target = new_topic()
    interrupted_batch(env, read, parts, topic, target)
    names = SlotNames(**json.loads((checkpoints / "aged" / "records.sinks.json").read_text()))
    properties = transactional_properties({"bootstrap.servers": parts.kafka.bootstrap_servers})
    from kafkastream.kafka.transactions import set_markers

    slot = f"tests-{names.id}-copy-records-{topic}-0"
    set_markers(properties, [slot], target, Marker(names.of_batch(7)))
    read(parts.endless(topic)).sink_to(exactly_once(parts, target)).name("copy")
    with pytest.raises(JobError, match="already written micro-batch 6"):
        env.execute("aged")


def test_topic_that_does_not_exist_is_told_as_such(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str
) -> None:
    parts.kafka.produce(topic, ["a"])
    began = time.monotonic()
    read(parts.bounded(topic)).sink_to(exactly_once(parts, "no-such-topic", max_block_ms="2000"))
    with pytest.raises(DeliveryError) as raised:
        env.execute("nowhere")
    assert raised.value.now == "Create the topic, or check its name."
    assert time.monotonic() - began < 60
