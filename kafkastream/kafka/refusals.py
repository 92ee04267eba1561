"""Refused connections: wrong credentials, or a certificate that is not trusted."""

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
    """Callback for a client's connection errors (``error_cb``) that keeps refusals for ``check``.

    Java's client fails at once when it is refused; librdkafka retries until the request's deadline.

    Args:
        where: Owner of the connections, for errors.
    """

    def __init__(self, where: str) -> None:
        self._where = where
        self._refusal: AuthenticationError | None = None
        self.last = ""

    def __call__(self, error: ClientError) -> None:
        """Handle an error."""
        name, reason = error.name(), _STATE.sub("", _ADDRESS.sub("", error.str()))
        if name == "_AUTHENTICATION":
            self._refusal = self._authentication_error(
                reason, "Check sasl.mechanism, and user and password in sasl.jaas.config."
            )
        elif name == "_SSL" or "SSL routines" in error.str():
            advice = "Check ssl.truststore.* and, where the broker asks for a certificate, ssl.keystore.*"
            self._refusal = self._authentication_error(
                reason, f"{advice}; the certificate must name the broker's host."
            )
        elif name != "_ALL_BROKERS_DOWN":
            self.last = reason

    def check(self) -> None:
        """Raise the refusal, if there was one.

        Raises:
            AuthenticationError: The brokers refuse the client, or the client does not trust them.
        """
        if self._refusal is not None:
            raise self._refusal

    def _authentication_error(self, reason: str, now: str) -> AuthenticationError:
        return AuthenticationError(
            f"the Kafka brokers cannot be used with these credentials: {reason}", where=self._where, now=now
        )
