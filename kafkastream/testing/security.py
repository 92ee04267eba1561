"""Secured listeners of an embedded broker, and the client properties for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.testing.certificates import Certificates

__all__ = ["Mechanism", "Protocol", "Security"]

Protocol: TypeAlias = Literal["SASL_PLAINTEXT", "SASL_SSL", "SSL"]
Mechanism: TypeAlias = Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"]

_KNOWN: tuple[Protocol, ...] = ("SASL_PLAINTEXT", "SASL_SSL", "SSL")
_MECHANISMS: tuple[Mechanism, ...] = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
_MODULES = "org.apache.kafka.common.security"
_PLAIN_MODULE = f"{_MODULES}.plain.PlainLoginModule"
_SCRAM_MODULE = f"{_MODULES}.scram.ScramLoginModule"


def _protocols(protocols: Iterable[Protocol]) -> tuple[Protocol, ...]:
    return tuple(protocols)


def _users(users: Mapping[str, str]) -> FrozenMap[str, str]:
    return FrozenMap(users)


def _names(users: Mapping[str, str]) -> str:
    return repr(sorted(users))


@final
@attrs.frozen(kw_only=True)
class Security:
    """Secured listeners of an ``EmbeddedKafka``, each on a port of its own, and the users that may log in.

    Args:
        protocols: Security protocols of the listeners; the SSL listener requires a client certificate.
        users: Passwords by user for SASL; each user can log in with PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512.

    Raises:
        DefinitionError: A protocol is unknown, or there is a SASL protocol and no user.

    Example:
        >>> Security(protocols=["SASL_SSL"], users={"ann": "ann's password"})
        Security(protocols=('SASL_SSL',), users=['ann'])
    """

    protocols: tuple[Protocol, ...] = attrs.field(default=_KNOWN, converter=_protocols)
    users: FrozenMap[str, str] = attrs.field(default={"ann": "secret of ann"}, converter=_users, repr=_names)

    def __attrs_post_init__(self) -> None:
        unknown = sorted(set(self.protocols) - set(_KNOWN))
        if unknown:
            raise DefinitionError(f"{', '.join(unknown)}: no protocol of {', '.join(_KNOWN)}", where="Security")
        if self.uses_sasl and not self.users:
            raise DefinitionError("SASL requires users, and none are given", where="Security")

    @property
    def uses_sasl(self) -> bool:
        """True if a listener requires SASL authentication."""
        return any(protocol.startswith("SASL") for protocol in self.protocols)

    @property
    def uses_tls(self) -> bool:
        """True if a listener uses TLS."""
        return any(protocol.endswith("SSL") for protocol in self.protocols)

    def server_properties(self, certificates: Certificates | None) -> dict[str, str]:
        """Return the security properties of the broker.

        Args:
            certificates: Certificates of the broker and its clients; None if no listener uses TLS.
        """
        settings: dict[str, str] = {}
        for protocol in self.protocols:
            listener = f"listener.name.{protocol.lower()}"
            if protocol.startswith("SASL"):
                settings |= self._sasl(listener)
            if certificates is not None and protocol.endswith("SSL"):
                settings |= {f"{listener}.{key}": value for key, value in certificates.server().items()}
                settings[f"{listener}.ssl.client.auth"] = "required" if protocol == "SSL" else "none"
        return settings

    def client_properties(
        self, protocol: Protocol, mechanism: Mechanism, user: str | None, certificates: Certificates | None
    ) -> dict[str, str]:
        """Return the Java client properties for a listener.

        Args:
            protocol: Security protocol of the listener.
            mechanism: SASL mechanism, if the protocol is a SASL one.
            user: User to log in; None for the first one.
            certificates: Key and trust stores, if the protocol uses TLS.

        Raises:
            DefinitionError: No such listener or user exists.
        """
        if protocol not in self.protocols:
            raise DefinitionError(f"the broker has no listener for {protocol}", now="Name it in Security(protocols=…).")
        settings: dict[str, str] = {"security.protocol": protocol}
        if protocol.startswith("SASL"):
            settings |= {"sasl.mechanism": mechanism, "sasl.jaas.config": self._login(mechanism, user)}
        if certificates is not None and protocol.endswith("SSL"):
            settings |= certificates.truststore("PEM")
        if certificates is not None and protocol == "SSL":
            settings |= certificates.keystore("PKCS12")
        return settings

    def _sasl(self, listener: str) -> dict[str, str]:
        users = " ".join(f"user_{name}={_quoted(password)}" for name, password in self.users.items())
        return {
            f"{listener}.sasl.enabled.mechanisms": ",".join(_MECHANISMS),
            f"{listener}.plain.sasl.jaas.config": f"{_PLAIN_MODULE} required {users};",
            f"{listener}.scram-sha-256.sasl.jaas.config": f"{_SCRAM_MODULE} required;",
            f"{listener}.scram-sha-512.sasl.jaas.config": f"{_SCRAM_MODULE} required;",
        }

    def _login(self, mechanism: Mechanism, user: str | None) -> str:
        name = user or next(iter(self.users))
        if name not in self.users:
            raise DefinitionError(f"the broker has no user {name!r}", now="Name it in Security(users=…).")
        module = _PLAIN_MODULE if mechanism == "PLAIN" else _SCRAM_MODULE
        return f"{module} required username={_quoted(name)} password={_quoted(self.users[name])};"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
