"""A real Apache Kafka for tests and demos: one process, a temporary directory, gone with its owner."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from typing_extensions import Self

from kafkastream.errors import SetupError
from kafkastream.testing import launch
from kafkastream.testing.certificates import Certificates
from kafkastream.testing.guarded import GuardedServer
from kafkastream.testing.launch import KafkaProgram
from kafkastream.testing.security import Mechanism, Protocol, Security
from kafkastream.testing.topics import KafkaBroker

__all__ = ["EmbeddedKafka"]


class EmbeddedKafka(KafkaBroker):
    """Apache Kafka in a JVM of its own, on 127.0.0.1, with data that lives as long as it is not stopped.

    ::

        with EmbeddedKafka() as kafka:
            kafka.create_topic("orders")
            kafka.produce("orders", ["first", "second"])
            assert [record.value for record in kafka.consume("orders")] == [b"first", b"second"]

    It ends with the process that started it, also when that process is killed.

    Args:
        port: Where it listens; None takes a free port.
        properties: Server settings that win over the ones for a quick lonely broker.
        security: Secured listeners, beside the plain one; they add a few seconds to the start.
        start_timeout_s: How long it may take to start, in seconds.
    """

    def __init__(
        self,
        *,
        port: int | None = None,
        properties: Mapping[str, str] | None = None,
        security: Security | None = None,
        start_timeout_s: float = 60.0,
    ) -> None:
        protocols = security.protocols if security else ()
        ports = launch.free_ports((launch.PLAINTEXT, *protocols, launch.CONTROLLER))
        self._ports = {**ports, **({launch.PLAINTEXT: port} if port else {})}
        self._server_properties = dict(properties or {})
        self._security = security
        self._start_timeout_s = start_timeout_s
        self._home: _Home | None = None
        super().__init__(self._address(launch.PLAINTEXT))

    @property
    def directory(self) -> Path:
        """Its data and its log ``server.log``.

        Raises:
            SetupError: It was not started.
        """
        return self._started_home().directory

    @property
    def certificates(self) -> Certificates:
        """The stores of keys and certificates that a client needs for TLS.

        Raises:
            SetupError: It was not started, or none of its listeners uses TLS.
        """
        certificates = self._started_home().certificates
        if certificates is None:
            raise SetupError("the embedded Kafka broker has no certificates", now="Give it a Security with SSL.")
        return certificates

    def listener(
        self, protocol: Protocol = "SASL_SSL", mechanism: Mechanism = "SCRAM-SHA-512", *, user: str | None = None
    ) -> KafkaBroker:
        """The same broker, spoken to through a secured listener; its ``client_properties`` are what a job needs.

        Args:
            protocol: Which listener.
            mechanism: How to log in, where the protocol is one of SASL.
            user: Who logs in; None is the first of the users.

        Raises:
            DefinitionError: There is no such listener or user.
            SetupError: It was not started.
        """
        home, security = self._started_home(), self._security or Security(protocols=())
        properties = security.client_properties(protocol, mechanism, user, home.certificates)
        return KafkaBroker(self._address(protocol), properties)

    def start(self) -> Self:
        """Start it and wait until it serves; after ``stop(keep_data=True)`` with the same data at the same address.

        Raises:
            JavaNotFoundError: There is no Java 17 or newer.
            JarsUnavailableError: Kafka's jars could not be fetched.
            SetupError: Its port is in use, or it did not start; then the error holds the end of its log.
        """
        is_new = self._home is None
        if not self.is_running():
            launch.check_free(self._ports.values())
        self._home = self._home or _Home(_program())
        try:
            if is_new:
                self._home.prepare(self._ports, self._server_properties, self._security)
            self._home.start_broker(self._start_timeout_s)
            if is_new and self._security and self._security.uses_sasl:
                self._admit(self._security.users)
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self, *, keep_data: bool = False) -> None:
        """Stop it; nothing happens when it does not run.

        Args:
            keep_data: Leave topics and records for the next ``start``, which is to come from the same process.
        """
        if self._home is not None and keep_data:
            self._home.stop_broker()
        elif self._home is not None:
            self._home.remove()
            self._home = None

    def is_running(self) -> bool:
        """Whether its process runs."""
        return self._home is not None and self._home.broker_runs()

    def log_tail(self) -> str:
        """The last lines of its log; empty when it does not run."""
        return self._home.log_tail() if self._home else ""

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def _address(self, protocol: str) -> str:
        return f"{launch.HOST}:{self._ports[protocol]}"

    def _started_home(self) -> _Home:
        if self._home is None:
            raise SetupError("the embedded Kafka broker was not started", now="Call start() or use it in a with.")
        return self._home


def _program() -> KafkaProgram:
    from kafkastream.spark.session.jars import broker_jars
    from kafkastream.spark.session.java_home import find_java

    return KafkaProgram(find_java(), broker_jars())


class _Home:
    """A broker's directory with the watchdog that guards it."""

    def __init__(self, program: KafkaProgram) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="kafkastream-broker-"))
        self._program = program
        command = program.broker_command(self.directory)
        self._server = GuardedServer("the embedded Kafka broker", self.directory, command, up="Kafka Server started")
        self.certificates: Certificates | None = None

    def prepare(self, ports: Mapping[str, int], properties: Mapping[str, str], security: Security | None) -> None:
        if security and security.uses_tls:
            self.certificates = Certificates(self.directory / "certificates")
            self.certificates.make(self._program.java)
        secured = security.server_properties(self.certificates) if security else {}
        launch.write_properties(self.directory, ports, {**secured, **properties})
        self._program.format_storage(self.directory)

    def broker_runs(self) -> bool:
        return self._server.is_running()

    def start_broker(self, timeout_s: float) -> None:
        self._server.start(timeout_s)

    def stop_broker(self) -> None:
        if self.broker_runs():
            self._server.stop()
            self._program.keep_archive(self.directory)

    def remove(self) -> None:
        try:
            if self._program.wants_archive():
                self.stop_broker()
        finally:
            self._server.remove()

    def log_tail(self) -> str:
        return self._server.log_tail()
