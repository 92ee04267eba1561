"""Translation of TLS and SASL settings of Java's client to librdkafka's."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.kafka.jaas import LoginEntry, login_entry

__all__ = ["has_java_stores", "is_java_store", "security_properties"]

_PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
_KEY_BLOCK = re.compile(r"-----BEGIN ([A-Z ]*PRIVATE KEY)-----.*?-----END \1-----", re.DOTALL)
_CERTIFICATE_BLOCK = re.compile(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", re.DOTALL)
_OAUTH_HANDLER = "OAuthBearerLoginCallbackHandler"
_HANDLERS = ("sasl.client.callback.handler.class", "sasl.login.callback.handler.class", "sasl.login.class")


def security_properties(java: Mapping[str, str]) -> dict[str, str]:
    """Return librdkafka's properties for ``security.protocol``; PEM stores are read and passed as text.

    Raises:
        DefinitionError: A part is missing, or Java's client would not parse it.
        UnsupportedFeatureError: The mechanism, the login module or the store works in Java only.
    """
    protocol = java.get("security.protocol", "PLAINTEXT").upper()
    if protocol not in _PROTOCOLS:
        raise DefinitionError(
            f"security.protocol = {protocol} is not one of {', '.join(_PROTOCOLS)}", where="Kafka properties"
        )
    return {
        "security.protocol": protocol,
        **(_tls_properties(java) if protocol.endswith("SSL") else {}),
        **(_sasl_properties(java) if protocol.startswith("SASL") else {}),
    }


def has_java_stores(java: Mapping[str, str]) -> bool:
    """Return whether the properties name a key store or trust store that only Java can read."""
    is_secured = java.get("security.protocol", "").upper().endswith("SSL")
    return is_secured and any(is_java_store(java, role) for role in ("truststore", "keystore"))


def is_java_store(java: Mapping[str, str], role: str) -> bool:
    """Return whether the ``truststore`` or ``keystore`` is a file that only Java can read."""
    return f"ssl.{role}.location" in java and _store_type(java, role) != "PEM"


def _tls_properties(java: Mapping[str, str]) -> dict[str, str]:
    algorithm = java.get("ssl.endpoint.identification.algorithm")
    checks = {} if algorithm is None else {"ssl.endpoint.identification.algorithm": algorithm.lower() or "none"}
    return {**_trust_store_properties(java), **_key_store_properties(java), **checks}


def _trust_store_properties(java: Mapping[str, str]) -> dict[str, str]:
    kind, location = _store_type(java, "truststore"), java.get("ssl.truststore.location")
    if "ssl.truststore.certificates" in java:
        return {"ssl.ca.pem": _inline_pem(java, "truststore", "ssl.truststore.certificates")}
    if location is None:
        return {}
    if kind != "PEM":
        raise _needs_jvm_error("truststore", kind)
    return {"ssl.ca.pem": _read_pem("ssl.truststore.location", location)}


def _key_store_properties(java: Mapping[str, str]) -> dict[str, str]:
    kind, location = _store_type(java, "keystore"), java.get("ssl.keystore.location")
    password = {"ssl.key.password": java["ssl.key.password"]} if "ssl.key.password" in java else {}
    if "ssl.keystore.key" in java:
        key = _inline_pem(java, "keystore", "ssl.keystore.key")
        return {"ssl.certificate.pem": java.get("ssl.keystore.certificate.chain", ""), "ssl.key.pem": key, **password}
    if location is None:
        return {}
    if kind == "PKCS12":
        return {"ssl.keystore.location": location, "ssl.keystore.password": java.get("ssl.keystore.password", "")}
    if kind != "PEM":
        raise _needs_jvm_error("keystore", kind)
    return {**_split_pem(location, _read_pem("ssl.keystore.location", location)), **password}


def _read_pem(key: str, path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise DefinitionError(
            f"{key} = {path} cannot be read: {error.strerror}",
            where="Kafka properties",
            now="The file must be there on the driver, and for a source on every worker.",
        ) from None


def _split_pem(location: str, text: str) -> dict[str, str]:
    key, certificates = _KEY_BLOCK.search(text), _CERTIFICATE_BLOCK.findall(text)
    if key is None or not certificates:
        raise DefinitionError(
            f"ssl.keystore.location = {location} holds no {'private key' if key is None else 'certificate'}",
            where="Kafka properties",
            now="A key store of type PEM holds a private key and its chain of certificates.",
        )
    return {"ssl.certificate.pem": "\n".join(certificates), "ssl.key.pem": key[0]}


def _inline_pem(java: Mapping[str, str], role: str, key: str) -> str:
    """Return the PEM text of a property, which Java accepts only with the type PEM and without a location."""
    if _store_type(java, role) != "PEM" or f"ssl.{role}.location" in java:
        raise DefinitionError(
            f"{key} needs ssl.{role}.type = PEM, and no ssl.{role}.location", where="Kafka properties"
        )
    return java[key]


def _store_type(java: Mapping[str, str], role: str) -> str:
    return java.get(f"ssl.{role}.type", "JKS").upper()


def _needs_jvm_error(role: str, kind: str) -> UnsupportedFeatureError:
    return UnsupportedFeatureError(
        f"a {role} of type {kind} can be read only by a JVM, and there is none here",
        where=f"ssl.{role}.location",
        now=f"Set ssl.{role}.type = PEM; keytool -list -rfc -keystore … writes a store's certificates as PEM.",
    )


def _sasl_properties(java: Mapping[str, str]) -> dict[str, str]:
    mechanism = java.get("sasl.mechanism", "GSSAPI").upper()
    translate = _MECHANISMS.get(mechanism)
    if translate is None:
        raise UnsupportedFeatureError(
            f"sasl.mechanism = {mechanism} cannot be used outside of Java",
            where="Kafka properties",
            now=f"These can: {', '.join(_MECHANISMS)}.",
        )
    for key in _HANDLERS:
        if key in java and not (mechanism == "OAUTHBEARER" and java[key].endswith(_OAUTH_HANDLER)):
            raise UnsupportedFeatureError(
                f"{key} = {java[key]} cannot run outside of Java",
                where="Kafka properties",
                now="PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, and OAUTHBEARER with a token endpoint work without a class.",
            )
    if "sasl.jaas.config" not in java:
        raise DefinitionError(
            f"sasl.mechanism = {mechanism} needs sasl.jaas.config; a JAAS file of the JVM is not read",
            where="Kafka properties",
        )
    return {"sasl.mechanism": mechanism, **translate(java, login_entry(java["sasl.jaas.config"]))}


def _password_properties(java: Mapping[str, str], entry: LoginEntry) -> dict[str, str]:
    _check_login_module(entry, "PlainLoginModule", "ScramLoginModule")
    if entry.options.get("tokenauth", "false").lower() == "true":
        raise UnsupportedFeatureError(
            "delegation tokens (tokenauth=true) cannot be used outside of Java",
            where="sasl.jaas.config",
            now="Log in with a user's own password.",
        )
    return {"sasl.username": _required_option(entry, "username"), "sasl.password": _required_option(entry, "password")}


def _oauth_properties(java: Mapping[str, str], entry: LoginEntry) -> dict[str, str]:
    _check_login_module(entry, "OAuthBearerLoginModule")
    endpoint = java.get("sasl.oauthbearer.token.endpoint.url")
    if endpoint is None:
        raise UnsupportedFeatureError(
            "OAUTHBEARER without sasl.oauthbearer.token.endpoint.url, as for unsecured tokens, cannot be used",
            where="Kafka properties",
            now="Name the endpoint that gives tokens for clientId and clientSecret.",
        )
    options = entry.options
    extensions = ",".join(
        f"{key.removeprefix('extension_')}={value}" for key, value in options.items() if key.startswith("extension_")
    )
    return {
        "sasl.oauthbearer.method": "oidc",
        "sasl.oauthbearer.token.endpoint.url": endpoint,
        "sasl.oauthbearer.client.id": _required_option(entry, "clientId"),
        "sasl.oauthbearer.client.secret": _required_option(entry, "clientSecret"),
        **({"sasl.oauthbearer.scope": options["scope"]} if "scope" in options else {}),
        **({"sasl.oauthbearer.extensions": extensions} if extensions else {}),
    }


def _kerberos_properties(java: Mapping[str, str], entry: LoginEntry) -> dict[str, str]:
    _check_login_module(entry, "Krb5LoginModule")
    options = entry.options
    service = java.get("sasl.kerberos.service.name") or options.get("serviceName")
    login = {"sasl.kerberos.keytab": options.get("keyTab"), "sasl.kerberos.principal": options.get("principal")}
    ticket = {"sasl.kerberos.kinit.cmd": ""} if options.get("useTicketCache", "false").lower() == "true" else {}
    relogin = {key: java[key] for key in ("sasl.kerberos.min.time.before.relogin",) if key in java}
    properties = {"sasl.kerberos.service.name": service, **login}
    return {**{key: value for key, value in properties.items() if value is not None}, **ticket, **relogin}


_MECHANISMS: Mapping[str, Callable[[Mapping[str, str], LoginEntry], dict[str, str]]] = {
    "PLAIN": _password_properties,
    "SCRAM-SHA-256": _password_properties,
    "SCRAM-SHA-512": _password_properties,
    "OAUTHBEARER": _oauth_properties,
    "GSSAPI": _kerberos_properties,
}


def _check_login_module(entry: LoginEntry, *supported: str) -> None:
    if entry.module not in supported:
        # do not quote a text that is not a module name: it may be a misplaced secret
        name = entry.module if entry.module.endswith("LoginModule") else "of this class"
        raise UnsupportedFeatureError(
            f"the login module {name} cannot run outside of Java",
            where="sasl.jaas.config",
            now=f"With this sasl.mechanism, {' and '.join(supported)} can be used.",
        )


def _required_option(entry: LoginEntry, name: str) -> str:
    if name not in entry.options:
        raise DefinitionError(f"{entry.module} lacks the option {name}", where="sasl.jaas.config")
    return entry.options[name]
