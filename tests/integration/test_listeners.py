"""Sockets on which the processes of a local job listen: each is for this machine only."""

from __future__ import annotations

import ipaddress
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import psutil
import pytest

from kafkastream.testing import KafkaBroker
from kafkastream.testing.pytest_plugin import NewTopic

PROGRAM: Final = """
import sys

from kafkastream.common import Configuration, Types, WatermarkStrategy
from kafkastream.common.serialization import SimpleStringSchema
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSource

servers, topic = sys.argv[1:]


def start(name, settings, operators):
    configuration = Configuration()
    for key, value in settings.items():
        configuration.set_string(key, value)
    env = StreamExecutionEnvironment.get_execution_environment(configuration).set_parallelism(1)
    builder = KafkaSource.builder().set_bootstrap_servers(servers).set_topics(topic)
    builder.set_starting_offsets(KafkaOffsetsInitializer.earliest())
    source = builder.set_value_only_deserializer(SimpleStringSchema()).build()
    operators(env.from_source(source, WatermarkStrategy.no_watermarks(), "in")).print()
    return env.execute_async(name)


prom = "metrics.reporter.prom"
factory = "org.apache.flink.metrics.prometheus.PrometheusReporterFactory"
settings = {"rest.port": "0", "kafkastream.progress": "on", f"{prom}.factory.class": factory, f"{prom}.port": "0"}
keyed = start("keyed", settings, lambda stream: stream.key_by(len, Types.INT()).reduce(max))
latency = start("latency", {"execution.buffer-timeout.interval": "0"}, lambda stream: stream.map(len, Types.INT()))
sys.stdin.read()
"""


@pytest.fixture
def program(kafka: KafkaBroker, new_topic: NewTopic, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    topic = new_topic()
    kafka.produce(topic, ["a", "bb"])
    script = tmp_path / "job.py"
    script.write_text(PROGRAM)
    command = [sys.executable, "-u", str(script), kafka.bootstrap_servers, topic]
    environment = {name: value for name, value in os.environ.items() if name != "SPARK_LOCAL_IP"}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    ) as running:
        yield running
        assert running.stdin is not None
        running.stdin.close()


def test_a_local_job_listens_for_this_machine_only(program: subprocess.Popen[str]) -> None:
    """The table of docs/deploy.md has what the sockets are for."""
    assert program.stdout is not None
    results: set[str] = set()
    page = spark_ui = ""
    for line in program.stdout:
        page = page or "".join(re.findall(r"Job page: (http://localhost:\d+/)", line))
        spark_ui = spark_ui or "".join(re.findall(r"Spark UI: (http://\S+)", line))
        results |= {"a", "bb", "1", "2"} & {line.strip()}
        if results == {"a", "bb", "1", "2"}:
            break
    listening = list(listeners(psutil.Process(program.pid)))
    assert [address for address in listening if not is_loopback(address.ip)] == []
    ports = {address.port for address in listening}
    for url in (page, spark_ui):
        assert int(url.rstrip("/").rpartition(":")[2]) in ports
        with urllib.request.urlopen(url, timeout=10) as answer:
            assert answer.status == 200
    assert len(ports) > 10  # of Python, the JVM and the workers


def listeners(program: psutil.Process) -> Iterator[Any]:
    """Yield the addresses on which a program and its children listen, without those of a child that just ends."""
    for process in (program, *program.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            for connection in process.net_connections("inet"):
                if connection.status == psutil.CONN_LISTEN:
                    yield connection.laddr


def is_loopback(address: str) -> bool:
    ip = ipaddress.ip_address(address)
    mapped = getattr(ip, "ipv4_mapped", None)  # as Java's sockets have it
    return (mapped or ip).is_loopback
