"""Files, storage and command with which an embedded broker is started."""

from __future__ import annotations

import base64
import errno
import os
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import final

import attrs

from kafkastream.errors import SetupError
from kafkastream.spark.session.class_archive import archive_of

__all__ = ["CONTROLLER", "HOST", "PLAINTEXT", "KafkaProgram", "check_free", "free_ports", "write_properties"]

HOST = "127.0.0.1"
PLAINTEXT = "PLAINTEXT"
CONTROLLER = "CONTROLLER"

# Settings of a single broker that starts and responds fast.
SERVER: Mapping[str, str] = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "controller.listener.names": CONTROLLER,
    "auto.create.topics.enable": "false",
    "offsets.topic.replication.factor": "1",
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.num.partitions": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "share.coordinator.state.topic.num.partitions": "1",
    "group.initial.rebalance.delay.ms": "0",
    "group.min.session.timeout.ms": "1000",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "500",
    "log.segment.delete.delay.ms": "1000",
    "log.retention.ms": "-1",  # records of tests may have any timestamps, and would be deleted 30 s after the start
    "log.cleaner.dedupe.buffer.size": "4194304",
}

JVM_OPTIONS = (
    "-Xmx384m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:-UsePerfData",
    "-Djava.awt.headless=true",
    "-Dorg.slf4j.simpleLogger.showDateTime=true",
    "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
    "-Dorg.slf4j.simpleLogger.log.kafka.server.KafkaRaftServer=info",
)

_PROPERTIES_NAME = "server.properties"
_DATA_NAME = "data"
_BOOTSTRAP_NAME = "bootstrap.checkpoint"


def free_ports(names: Iterable[str]) -> dict[str, int]:
    """Return a different free port for each name."""
    with ExitStack() as taken:
        sockets = {name: taken.enter_context(socket.socket()) for name in names}
        for one in sockets.values():
            one.bind((HOST, 0))
        return {name: one.getsockname()[1] for name, one in sockets.items()}


def check_free(ports: Iterable[int]) -> None:
    """Check that ports are free.

    Raises:
        SetupError: A port is in use, or reserved for other users.
    """
    for port in ports:
        with socket.socket() as probe:
            if os.name == "posix":  # otherwise a port in TIME_WAIT, closed a moment ago, counts as used
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except OSError as error:
                in_use = error.errno == errno.EADDRINUSE
                raise SetupError(
                    f"port {port} is in use" if in_use else f"port {port} cannot be used: {error.strerror}",
                    where=f"the embedded Kafka broker, {HOST}:{port}",
                    now=f"Stop the process that listens there (ss -ltnp 'sport = :{port}', lsof -i :{port}), or use another port; "
                    "by default, a free one is used.",
                ) from None


def write_properties(directory: Path, ports: Mapping[str, int], overrides: Mapping[str, str]) -> None:
    """Write ``server.properties``.

    Args:
        directory: Directory of the broker.
        ports: Ports by name of the listener, one of which is the controller's.
        overrides: Settings that replace the defaults.
    """
    protocols = {**dict(zip(ports, ports, strict=True)), CONTROLLER: PLAINTEXT}
    server = {
        **SERVER,
        "listeners": ",".join(f"{name}://{HOST}:{port}" for name, port in ports.items()),
        "listener.security.protocol.map": ",".join(f"{name}:{protocol}" for name, protocol in protocols.items()),
        "controller.quorum.voters": f"{SERVER['node.id']}@{HOST}:{ports[CONTROLLER]}",
        "log.dirs": (directory / _DATA_NAME).as_posix(),
        **overrides,
    }
    _write(directory / _PROPERTIES_NAME, server)


@final
@attrs.frozen
class KafkaProgram:
    """Kafka's jars and the Java that runs them.

    Two files are created once per machine and kept with the jars, since they halve the time of a start: the feature
    levels of a new cluster, and the archive of classes, which the first broker writes when it exits.
    """

    java: Path
    jars: tuple[Path, ...]

    @property
    def archive(self) -> Path:
        """Path of the archive of classes."""
        return archive_of(self.jars[0].parent, (self.java.resolve(),))

    def broker_command(self, directory: Path, options: Iterable[str]) -> list[str]:
        """Return the command that runs the broker of ``directory``, with further options of the JVM."""
        return [*self._java(), *options, "kafka.Kafka", str(directory / _PROPERTIES_NAME)]

    def format_storage(self, directory: Path) -> None:
        """Format the storage like ``kafka-storage format``, without starting its JVM."""
        data = directory / _DATA_NAME
        data.mkdir()
        (data / _BOOTSTRAP_NAME).write_bytes(self._bootstrap_metadata())
        identity = {"node.id": SERVER["node.id"], "cluster.id": _new_id(), "directory.id": _new_id()}
        _write(data / "meta.properties", {"version": "1", **identity})

    def _bootstrap_metadata(self) -> bytes:
        kept = self.jars[0].parent / _BOOTSTRAP_NAME
        if kept.exists():
            return kept.read_bytes()
        with tempfile.TemporaryDirectory() as name:
            metadata = self._formatted(Path(name))
        _keep(metadata, kept)
        return metadata

    def _formatted(self, directory: Path) -> bytes:
        write_properties(directory, free_ports((PLAINTEXT, CONTROLLER)), overrides={})
        arguments = ("format", "--cluster-id", _new_id(), "--config", str(directory / _PROPERTIES_NAME))
        command = (*self._java(), "kafka.tools.StorageTool", *arguments)
        run = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)  # noqa: S603
        if run.returncode:
            raise SetupError("Kafka's storage could not be formatted", where=(run.stdout + run.stderr).strip())
        return (directory / _DATA_NAME / _BOOTSTRAP_NAME).read_bytes()

    def _java(self) -> list[str]:
        return [str(self.java), *JVM_OPTIONS, "-cp", os.pathsep.join(map(str, self.jars))]


def _write(path: Path, properties: Mapping[str, str]) -> None:
    lines = (f"{key}={value}\n" for key, value in properties.items())
    path.write_text("".join(line.replace("\\", "\\\\") for line in lines), encoding="utf-8")


def _new_id() -> str:
    """Return a random cluster id in Kafka's Base64, without a leading hyphen, which would look like an option."""
    return "k" + base64.urlsafe_b64encode(uuid.uuid4().bytes).decode()[1:22]


def _keep(content: bytes, path: Path) -> None:
    """Write a file next to the jars atomically; without effect if that folder is read-only."""
    with suppress(OSError):
        fresh = path.with_name(f"{path.name}.{uuid.uuid4().hex}")
        fresh.write_bytes(content)
        fresh.replace(path)
