"""Strangers at the page of a running job: what they cost it, and how long those with the token wait meanwhile.

``python -m tests.faults.strangers [--rounds 3] [--seconds 30]``, on a machine with nothing else to do, prints a row per round:
the job's throughput in a calm time before and after, and in one with 1,000 unfinished requests, which are opened again
every five seconds if the server has ended them, and 10,000 quick ones without the token.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import re
import resource
import selectors
import socket
import statistics
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event
from typing import Any, Final, NamedTuple, TextIO

from kafkastream.common import Configuration, SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSource
from kafkastream.testing import EmbeddedKafka, KafkaBroker, wait_until

TOKEN: Final = "only-for-readers"
TOPIC: Final = "orders"
PARTITIONS: Final = 2
PER_BATCH: Final = 20_000
WORK: Final = 400
"""Steps of a function per record, so that the job has as much work as the machine can do."""
UNFINISHED: Final = 1_000
QUICK: Final = 10_000
REOPEN_S: Final = 5.0
READ_EVERY_S: Final = 0.2
PAUSE_S: Final = 5.0
FILES: Final = ("", "page/page.css", "page/page.js", "page/preact.js", "page/jobs")


class Attack(NamedTuple):
    """What strangers did: unfinished requests opened, and quick ones answered, in how many s."""

    opened: int
    answered: int
    took_s: float


class Round(NamedTuple):
    """Records per s in calm times and under attack, and the slowest read of the whole page in s."""

    calm: float
    attacked: float
    calm_read_s: float
    attacked_read_s: float
    attack: Attack


def main(rounds: int, seconds: float) -> None:
    """Run the job, attack its page, and print what came of it."""
    with EmbeddedKafka() as kafka, running_job(kafka) as port:
        wait_until(lambda: len(batches(port)) >= 5, 120, "the first micro-batches")
        measured = []
        for number in range(1, rounds + 1):
            measured.append(attack_round(port, seconds))
            print_round(sys.stdout, str(number), measured[-1])
        kept = statistics.median(one.attacked / one.calm for one in measured)
        slowest = max(one.attacked_read_s for one in measured)
        sys.stdout.write(f"throughput kept (median): {kept:.1%}; slowest page for a reader: {slowest:.2f} s\n")


def print_round(out: TextIO, name: str, one: Round) -> None:
    """Print a round."""
    out.write(
        f"round {name}: {one.calm:,.0f} records/s calm, {one.attacked:,.0f} attacked ({one.attacked / one.calm:.1%}); "
        f"slowest page {one.calm_read_s:.2f} s calm, {one.attacked_read_s:.2f} s attacked; "
        f"{one.attack.opened:,} unfinished and {one.attack.answered:,} quick requests in {one.attack.took_s:.0f} s\n"
    )
    out.flush()


def attack_round(port: int, seconds: float) -> Round:
    """Measure a calm time, an attack, and another calm time."""
    before, calm_read = measure(port, seconds / 2)
    theirs, ours = multiprocessing.Pipe()
    attacker = multiprocessing.get_context("spawn").Process(target=attack, args=(port, seconds, theirs))
    attacker.start()
    theirs.close()
    ours.recv()  # all unfinished requests are open
    attacked, attacked_read = measure(port, seconds)
    outcome: Attack = ours.recv()
    attacker.join()
    time.sleep(PAUSE_S)
    after, calm_again = measure(port, seconds / 2)
    return Round((before + after) / 2, attacked, max(calm_read, calm_again), attacked_read, outcome)


@contextmanager
def running_job(kafka: KafkaBroker) -> Iterator[int]:
    """Run a job with a backlog, and return the port of its page."""
    kafka.create_topic(TOPIC, PARTITIONS)
    fill = multiprocessing.get_context("spawn").Process(target=feed, args=(kafka.bootstrap_servers,), daemon=True)
    fill.start()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    configuration = Configuration()
    for key, value in {"rest.port": str(port), "kafkastream.rest.token": TOKEN}.items():
        configuration.set_string(key, value)
    env = StreamExecutionEnvironment.get_execution_environment(configuration).set_parallelism(PARTITIONS)
    builder = KafkaSource.builder().set_bootstrap_servers(kafka.bootstrap_servers).set_topics(TOPIC)
    builder.set_property("spark.maxOffsetsPerTrigger", str(PER_BATCH))
    builder.set_starting_offsets(KafkaOffsetsInitializer.earliest())
    source = builder.set_value_only_deserializer(SimpleStringSchema()).build()
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "orders")
    stream.map(worked, Types.LONG()).filter(lambda number: number < 0).print()
    client = env.execute_async("attacked")
    fill.join()
    try:
        yield port
    finally:
        client.cancel().result(60)


def feed(servers: str) -> None:
    """Fill the topic with more than the job reads in the time."""
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": servers, "queue.buffering.max.messages": 1_000_000})
    for number in range(12_000_000):
        while True:
            try:
                producer.produce(TOPIC, f"{number:012d}".encode(), partition=number % PARTITIONS)
                break
            except BufferError:
                producer.poll(0.1)
        if number % 10_000 == 0:
            producer.poll(0)
    producer.flush()


def worked(value: str) -> int:
    """Return a number that takes some work."""
    number = int(value)
    for step in range(WORK):
        number = (number * 31 + step) % 1_000_003
    return number


def read(port: int, path: str) -> bytes:
    """Read a document with the token, on a new connection."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}/{path}", headers={"Authorization": f"Bearer {TOKEN}"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return bytes(answer.read())


def batches(port: int) -> list[dict[str, Any]]:
    """Return the last micro-batches of the job."""
    job = json.loads(read(port, "page/jobs"))["jobs"][0]["id"]
    found: list[dict[str, Any]] = json.loads(read(port, f"page/jobs/{job}"))["batches"]
    return found


def measure(port: int, seconds: float) -> tuple[float, float]:
    """Return the records per s of the micro-batches that ran within a time, and the slowest read of the page in s."""
    began, slowest = time.time(), 0.0
    while time.time() < began + seconds:
        start = time.monotonic()
        for path in FILES:
            read(port, path)
        job = json.loads(read(port, "page/jobs"))["jobs"][0]["id"]
        read(port, f"page/jobs/{job}")
        slowest = max(slowest, time.monotonic() - start)
        time.sleep(READ_EVERY_S)
    ended = time.time()
    within = [
        batch
        for batch in batches(port)
        if batch["began_ms"] >= 1000 * began and batch["began_ms"] + batch["duration_ms"] <= 1000 * ended
    ]
    span_ms = within[-1]["began_ms"] + within[-1]["duration_ms"] - within[0]["began_ms"]
    return 1000 * sum(batch["rows"] for batch in within) / span_ms, slowest


def attack(port: int, seconds: float, told: Connection) -> None:
    """Keep unfinished requests open, and send quick ones in a steady stream."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4 * UNFINISHED, hard), hard))
    context = multiprocessing.get_context("fork")
    is_over = context.Event()
    opened = context.Value("i", 0)
    strangers = context.Process(target=hold, args=(port, opened, is_over))
    strangers.start()
    wait_until(lambda: opened.value >= UNFINISHED, 60, "the unfinished requests")
    told.send(None)
    began, answered = time.monotonic(), 0
    for number in range(QUICK):
        time.sleep(max(began + number * seconds / QUICK - time.monotonic(), 0))
        answered += is_answered(port)
    took_s = time.monotonic() - began
    is_over.set()
    strangers.join()
    told.send(Attack(opened.value, answered, took_s))


def is_answered(port: int) -> bool:
    """Send a request without the token; return whether it is answered."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: driver\r\n\r\n")
        return connection.recv(4096).startswith(b"HTTP/1.1 401 ")
    return False


def hold(port: int, opened: Any, is_over: Event) -> None:
    """Hold unfinished requests, each of which gets a byte per s, and open those again that the server ends."""
    selector = selectors.DefaultSelector()
    reopen_at = 0.0
    while not is_over.is_set():
        missing = UNFINISHED - len(selector.get_map()) if time.monotonic() >= reopen_at else 0
        reopen_at = time.monotonic() + REOPEN_S if missing else reopen_at
        for _ in range(missing):
            with suppress(OSError):
                connection = socket.create_connection(("127.0.0.1", port), timeout=10)
                connection.sendall(b"GET /page/jobs HTTP/1.1\r\nHost: driver\r\nX-Slow: ")
                selector.register(connection, selectors.EVENT_READ)
                opened.value += 1
        for key, _ in selector.select(0.2):
            end(selector, key.fileobj)
        for key in list(selector.get_map().values()):
            try:
                key.fileobj.send(b"a")  # type: ignore[union-attr]  # a socket
            except OSError:
                end(selector, key.fileobj)
        is_over.wait(1)


def end(selector: selectors.BaseSelector, connection: Any) -> None:
    """Forget a connection that the server has ended."""
    selector.unregister(connection)
    connection.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=re.split(r"\n\n", __doc__ or "")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=30.0)
    arguments = parser.parse_args()
    main(arguments.rounds, arguments.seconds)
