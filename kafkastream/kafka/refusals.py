"""Refused connections: a wrong password, a certificate that is not trusted."""

from __future__ import annotations

import re
from typing import final

from confluent_kafka import KafkaError as ClientError

from kafkastream.errors import AuthenticationError

__all__ = ["Refusals"]

_ADDRESS = re.compile(r"^\S+://\S+: ")
_STATE = re.compile(
    r" \(after \d+ms in state \w+\)|: error:[0-9A-F]+:SSL routines:|\(install ca-certificates package\)"
)


@final
class Refusals:
    """Callback for a client's connection errors (librdkafka's ``error_cb``); keeps those that explain a refusal.

    Java's client gives up at once when it is refused; librdkafka would retry until the request's deadline.

    Args:
        where: Owner of the connections, for the error.
    """

    def __init__(self, where: str) -> None:
        self._where = where
        self._refusal: AuthenticationError | None = None
        self.last = ""

    def __call__(self, error: ClientError) -> None:
        """Handle an error."""
        name, said = error.name(), _STATE.sub("", _ADDRESS.sub("", error.str()))
        if name == "_AUTHENTICATION":
            self._refusal = self._refused(said, "Check sasl.mechanism, and user and password in sasl.jaas.config.")
        elif name == "_SSL" or "SSL routines" in error.str():
            advice = "Check ssl.truststore.* and, where the broker asks for a certificate, ssl.keystore.*"
            self._refusal = self._refused(said, f"{advice}; the certificate must name the broker's host.")
        elif name != "_ALL_BROKERS_DOWN":
            self.last = said

    def check(self) -> None:
        """Raise the refusal, if there was one.

        Raises:
            AuthenticationError: The brokers refuse the client, or the client does not trust them.
        """
        if self._refusal is not None:
            raise self._refusal

    def _refused(self, said: str, now: str) -> AuthenticationError:
        return AuthenticationError(
            f"the Kafka brokers cannot be used with these credentials: {said}", where=self._where, now=now
        )
