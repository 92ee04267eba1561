"""``EmbeddedKafka``: Apache Kafka as a child process with a temporary directory, for tests and demos."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from typing_extensions import Self

from kafkastream.errors import SetupError
from kafkastream.spark.session.class_archive import class_archive
from kafkastream.testing import launch
from kafkastream.testing.certificates import Certificates
from kafkastream.testing.guarded import EmbeddedServer, GuardedServer
from kafkastream.testing.launch import KafkaProgram
from kafkastream.testing.security import Mechanism, Protocol, Security
from kafkastream.testing.topics import KafkaBroker

__all__ = ["EmbeddedKafka"]


class _Broker(GuardedServer):
    """Process and directory of a broker, which leaves an archive of Java classes for later ones if there is none."""

    def __init__(self, program: KafkaProgram) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="kafkastream-broker-"))
        self.certificates: Certificates | None = None
        self._program = program
        with class_archive(program.archive, os.environ) as classes:
            command = program.broker_command(self.directory, classes.options)
            super().__init__(
                "the embedded Kafka broker",
                self.directory,
                command,
                up="Kafka Server started",
                inherited=classes.inherited,
            )
        self._writes_archive = classes.lock is not None

    def prepare(self, ports: Mapping[str, int], properties: Mapping[str, str], security: Security | None) -> None:
        if security and security.uses_tls:
            self.certificates = Certificates(self.directory / "certificates")
            self.certificates.make(self._program.java)
        secured = security.server_properties(self.certificates) if security else {}
        launch.write_properties(self.directory, ports, {**secured, **properties})
        self._program.format_storage(self.directory)

    def remove(self) -> None:
        try:
            if self._writes_archive:  # a JVM that is killed writes none
                self.stop()
        finally:
            super().remove()


class EmbeddedKafka(KafkaBroker, EmbeddedServer[_Broker]):
    """Apache Kafka broker in a JVM of its own, on 127.0.0.1, with data that lives until it is stopped.

    ::

        with EmbeddedKafka() as kafka:
            kafka.create_topic("orders")
            kafka.produce("orders", ["first", "second"])
            assert [record.value for record in kafka.consume("orders")] == [b"first", b"second"]

    The broker ends with the process that started it, also when that process is killed.

    Args:
        port: Port to listen on; by default, a free one.
        properties: Broker settings, which override the defaults for a small and fast single broker.
        security: Secured listeners besides the plaintext one; they add a few seconds to the start.
        start_timeout_s: Time limit of the start in s.
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
        super().__init__(self._address(launch.PLAINTEXT))

    @property
    def directory(self) -> Path:
        """Directory of the broker's data and its log ``server.log``.

        Raises:
            SetupError: The broker was not started.
        """
        return self._started_server().directory

    @property
    def certificates(self) -> Certificates:
        """Key stores and trust stores that a client needs for TLS.

        Raises:
            SetupError: The broker was not started, or has no TLS listener.
        """
        certificates = self._started_server().certificates
        if certificates is None:
            raise SetupError("the embedded Kafka broker has no certificates", now="Give it a Security with SSL.")
        return certificates

    def listener(
        self, protocol: Protocol = "SASL_SSL", mechanism: Mechanism = "SCRAM-SHA-512", *, user: str | None = None
    ) -> KafkaBroker:
        """Return this broker as seen through a secured listener.

        A job takes the broker's ``client_properties``.

        Args:
            protocol: Security protocol of the listener.
            mechanism: SASL mechanism, if the protocol is a SASL one.
            user: User to log in; by default, the first one.

        Raises:
            DefinitionError: No such listener or user exists.
            SetupError: The broker was not started.
        """
        server, security = self._started_server(), self._security or Security(protocols=())
        properties = security.client_properties(protocol, mechanism, user, server.certificates)
        return KafkaBroker(self._address(protocol), properties)

    def start(self) -> Self:
        """Start the broker and wait until it is ready.

        After ``stop(keep_data=True)``, the broker has the same data and address.

        Raises:
            JavaNotFoundError: Java 17 or newer is not installed.
            JarsUnavailableError: Kafka's jars could not be downloaded.
            SetupError: The port is in use, or the broker did not start; the error holds the end of its log.
        """
        is_new = self._server is None
        if not self.is_running():
            launch.check_free(self._ports.values())
        self._server = self._server or _Broker(_program())
        try:
            if is_new:
                self._server.prepare(self._ports, self._server_properties, self._security)
            self._server.start(self._start_timeout_s)
            if is_new and self._security and self._security.uses_sasl:
                self._admit(self._security.users)
        except BaseException:
            self.stop()
            raise
        return self

    def _address(self, protocol: str) -> str:
        return f"{launch.HOST}:{self._ports[protocol]}"

    def _started_server(self) -> _Broker:
        if self._server is None:
            raise SetupError("the embedded Kafka broker was not started", now="Call start() or use it in a with.")
        return self._server


def _program() -> KafkaProgram:
    from kafkastream.spark.session.jars import broker_jars
    from kafkastream.spark.session.java_home import find_java

    return KafkaProgram(find_java(), broker_jars())
