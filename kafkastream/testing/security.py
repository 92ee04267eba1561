"""The secured listeners of an embedded broker: what is asked of its clients, and what they answer."""

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
    """The secured listeners of an ``EmbeddedKafka``, each on a port of its own, and who may use them.

    Args:
        protocols: Which listeners there are; that of SSL asks its clients for a certificate.
        users: The passwords of those who may log in with SASL, by name; each works with PLAIN, SCRAM-SHA-256 and
            SCRAM-SHA-512.

    Raises:
        DefinitionError: SASL without users.

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
            raise DefinitionError("SASL asks for users, and there are none", where="Security")

    @property
    def uses_sasl(self) -> bool:
        """Whether somebody has to log in."""
        return any(protocol.startswith("SASL") for protocol in self.protocols)

    @property
    def uses_tls(self) -> bool:
        """Whether there must be certificates."""
        return any(protocol.endswith("SSL") for protocol in self.protocols)

    def server_properties(self, certificates: Certificates | None) -> dict[str, str]:
        """What the broker is started with, apart from its addresses."""
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
        """What a client has to say to a listener, by the names of Java's client.

        Raises:
            DefinitionError: There is no such listener, or no such user.
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
            raise DefinitionError(f"the broker knows no user {name!r}", now="Name it in Security(users=…).")
        module = _PLAIN_MODULE if mechanism == "PLAIN" else _SCRAM_MODULE
        return f"{module} required username={_quoted(name)} password={_quoted(self.users[name])};"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
