"""Attempts at one slot, all at once, killed, stopped and woken when others are long past: no Spark, so it is quick."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Collection
from multiprocessing.process import BaseProcess
from threading import Event
from typing import TYPE_CHECKING, Any, final

import pytest

from kafkastream.testing import KafkaBroker, wait_until

if TYPE_CHECKING:
    from kafkastream.kafka.transactions import Slot
    from kafkastream.spark.worker.transactional_writer import SlotCounters

BATCHES = 15
RECORDS = 40
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["kafkastream.spark.worker.transactional_writer"])


def slot_of(servers: str, name: str) -> Slot:
    from kafkastream.kafka.properties import transactional_properties
    from kafkastream.kafka.transactions import Slot

    return Slot(transactional_properties({"bootstrap.servers": servers}), name, "sink", topic=None)


def attempt(servers: str, topic: str, batch: int, who: str) -> None:
    """A task in a process of its own."""
    write(servers, topic, batch, who)
    os._exit(0)


def write(servers: str, topic: str, batch: int, who: str, last: Collection[str] = ()) -> tuple[SlotCounters, str]:
    """Write what is left of a micro-batch, as a task does; its counters and the writer's token.

    Args:
        servers: The broker.
        topic: Where to.
        batch: The micro-batch.
        who: Stands in the records.
        last: The tokens of the last writers of slots, as far as the driver knows.
    """
    from itertools import repeat

    from kafkastream.kafka.producer import BY_KEY, Records
    from kafkastream.kafka.properties import transactional_properties
    from kafkastream.kafka.statistics import ProducerStatistics
    from kafkastream.metrics.groups import MetricGroup
    from kafkastream.spark.worker.batches import Batch
    from kafkastream.spark.worker.transactional_writer import SlotCounters, TransactionalWriter

    counters = SlotCounters.of(MetricGroup())
    properties = transactional_properties({"bootstrap.servers": servers})
    task = TransactionalWriter(properties, f"{topic}-slot", "sink", topic, batch, last, counters, ProducerStatistics())
    elements = Batch(range(RECORDS), [None] * RECORDS, range(RECORDS))
    left = task.left_of(elements).values
    if left:
        values = [f"{batch} {number} {who}" for number in left]
        records = Records(repeat(topic), values, repeat(None), repeat(BY_KEY), repeat(0))
        task.add(records, records.payload_bytes)
    task.finish()
    assert task.writer is not None
    return counters, task.writer[1]


class Attempts:
    """Processes that attempt micro-batches, some of which are killed or stopped."""

    def __init__(self, servers: str, topic: str, choose: random.Random) -> None:
        self._servers = servers
        self._topic = topic
        self._choose = choose
        self._started: list[BaseProcess] = []
        self._stopped: list[BaseProcess] = []

    def run(self, batch: int) -> None:
        """Attempt a micro-batch, up to three times at once, until one succeeds."""
        attempts = [self._start(batch) for _ in range(self._choose.choice((1, 2, 3)))]
        time.sleep(self._choose.uniform(0, 0.3))
        self._harm(self._choose.choice(attempts))
        while not any(process.exitcode == 0 for process in attempts):
            if not any(process.is_alive() and process not in self._stopped for process in attempts):
                attempts.append(self._start(batch))
            time.sleep(0.01)

    def wake(self, share: float) -> None:
        """Let stopped processes go on."""
        while self._stopped and self._choose.random() < share:
            os.kill(self._stopped.pop(0).pid or 0, signal.SIGCONT)

    def end(self) -> None:
        """Let all come to their end."""
        self.wake(1)
        wait_until(lambda: not any(process.is_alive() for process in self._started), 90, "the end of all attempts")

    def kill(self) -> None:
        """Leave nothing behind."""
        for process in self._started:
            process.kill()

    def _start(self, batch: int) -> BaseProcess:
        who = f"attempt-{len(self._started)}"
        process = PROCESSES.Process(target=attempt, args=(self._servers, self._topic, batch, who))
        process.start()
        self._started.append(process)
        return process

    def _harm(self, process: BaseProcess) -> None:
        if process.is_alive() and process.pid is not None:
            fate = self._choose.choice((signal.SIGKILL, signal.SIGSTOP))
            os.kill(process.pid, fate)
            if fate == signal.SIGSTOP:
                self._stopped.append(process)


def test_each_micro_batch_is_written_once_by_one_attempt(kafka: KafkaBroker, topic: str) -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")  # noqa: T201
    attempts = Attempts(kafka.bootstrap_servers, topic, random.Random(seed))
    try:
        for batch in range(BATCHES):
            attempts.run(batch)
            attempts.wake(0.5)
        attempts.end()
    finally:
        attempts.kill()
    writers = defaultdict(set)
    written: Counter[tuple[str, str]] = Counter()
    for record in kafka.consume(topic):
        assert record.value is not None
        batch_text, number, who = record.value.decode().split()
        written[batch_text, number] += 1
        writers[batch_text].add(who)
    expected = {(str(batch), str(number)) for batch in range(BATCHES) for number in range(RECORDS)}
    assert set(written) == expected
    assert set(written.values()) == {1}
    assert {len(who) for who in writers.values()} == {1}


def test_marker_is_kept_for_each_topic_and_the_farthest_counts(kafka: KafkaBroker, topic: str) -> None:
    from itertools import repeat

    from kafkastream.kafka.producer import BY_KEY, Records
    from kafkastream.kafka.transactions import Marker

    def records(target: str) -> Records:
        return Records([target], ["x"], repeat(None), repeat(BY_KEY), repeat(0))

    other = f"{topic}-other"
    kafka.create_topic(other)
    try:
        slot = slot_of(kafka.bootstrap_servers, f"{topic}-slot")
        assert slot.marker is None
        slot.publish([records(topic)], Marker(3))
        slot.publish([records(other)], Marker(3, 70))
        assert slot_of(kafka.bootstrap_servers, f"{topic}-slot").marker == Marker(3, 70)
        with pytest.raises(Exception, match="fenced"):
            slot.publish([records(topic)], Marker(4))
        assert slot_of(kafka.bootstrap_servers, f"{topic}-slot").marker == Marker(3, 70)
    finally:
        kafka.delete_topic(other)


@final
class Mute:
    """A client that never answers when the marker is sent; after that, nobody is to ask it for anything."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._is_asked = False
        self.hears_again = Event()

    def poll(self, timeout: float) -> Any:
        """Nothing is asked by this."""
        return self._client.poll(timeout)

    def __getattr__(self, name: str) -> Any:
        assert not self._is_asked, name
        return getattr(self._client, name)

    def send_offsets_to_transaction(self, *_: object) -> None:
        self._is_asked = True
        self.hears_again.wait()


def test_client_that_never_answers_is_left_to_itself(
    kafka: KafkaBroker, topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Librdkafka's may be so once brokers were away; the task then writes by another, and once."""
    from kafkastream.kafka import transactions
    from kafkastream.spark.worker.transactional_writer import _kept

    monkeypatch.setattr(transactions, "_LATE_ANSWER_S", 0.1)
    other = slot_of(kafka.bootstrap_servers, f"{topic}-other-slot")
    _, last = write(kafka.bootstrap_servers, topic, 0, "first")
    _kept[f"{topic}-other-slot"] = other
    kept: Any = _kept[f"{topic}-slot"]
    mute = kept._client = kept._producer.client = Mute(kept._client)
    try:
        counters, last = write(kafka.bootstrap_servers, topic, 1, "second", (last, other.token))
        assert (counters.committed.get_count(), counters.fenced.get_count()) == (1, 1)
        assert _kept[f"{topic}-slot"] is not kept
        assert f"{topic}-other-slot" not in _kept  # which may be mute, too
        counters, _ = write(kafka.bootstrap_servers, topic, 2, "third", (last,))
        assert counters.fenced.get_count() == 0
        written = Counter((record.value or b"").decode() for record in kafka.consume(topic))
        whole = [
            f"{batch} {number} {who}"
            for batch, who in enumerate(("first", "second", "third"))
            for number in range(RECORDS)
        ]
        assert written == Counter(whole)
    finally:
        mute.hears_again.set()
        _kept.pop(f"{topic}-slot", None)


def test_writer_is_used_again_only_while_it_is_the_last_one(kafka: KafkaBroker, topic: str) -> None:
    """What another worker has written since is not found out by being fenced."""
    from kafkastream.spark.worker.transactional_writer import _kept

    def kept() -> str:
        return _kept[f"{topic}-slot"].token

    try:
        _, first = write(kafka.bootstrap_servers, topic, 0, "worker")
        counters, again = write(kafka.bootstrap_servers, topic, 1, "worker", (first,))
        assert (first == again == kept(), counters.fenced.get_count()) == (True, 0)
        elsewhere = slot_of(kafka.bootstrap_servers, f"{topic}-slot")
        counters, anew = write(kafka.bootstrap_servers, topic, 2, "worker", (elsewhere.token,))
        assert (anew == kept() != first, counters.fenced.get_count()) == (True, 0)
        assert counters.committed.get_count() == 1
    finally:
        _kept.pop(f"{topic}-slot", None)


OVERTAKEN = """
import sys
from tests.faults.test_slots import slot_of, write

servers, topic = sys.argv[1:]
_, last = write(servers, topic, 0, "overtaken")
slot_of(servers, f"{topic}-slot")
counters, _ = write(servers, topic, 1, "overtaken", (last,))
print(counters.fenced.get_count())
"""


def test_kafkas_client_writes_nothing_to_the_terminal(kafka: KafkaBroker, topic: str) -> None:
    """Though librdkafka takes it for fatal that a writer is overtaken."""
    command = [sys.executable, "-c", OVERTAKEN, kafka.bootstrap_servers, topic]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("1\n", "")


def test_slot_that_is_ahead_of_the_checkpoint_stops_its_task(kafka: KafkaBroker, topic: str) -> None:
    from kafkastream.errors import JobError

    write(kafka.bootstrap_servers, topic, 7, "newer")
    with pytest.raises(JobError, match="already written a later micro-batch"):
        write(kafka.bootstrap_servers, topic, 3, "older")
