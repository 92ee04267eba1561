"""Converts Java's stores of keys and certificates (JKS, PKCS12) to PEM, in the driver's JVM."""

from __future__ import annotations

import base64
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError

from kafkastream.errors import DefinitionError, SetupError, UnsupportedFeatureError
from kafkastream.kafka.security import has_java_stores, is_java_store
from kafkastream.spark.internals.jvm import running_gateway

__all__ = ["with_pem_stores"]

_PEM_COLUMNS = 64


def with_pem_stores(java: Mapping[str, str]) -> dict[str, str]:
    """Return client properties with each store as PEM text, so that workers need no file.

    Args:
        java: Client properties, by Java's names.

    Raises:
        DefinitionError: A store cannot be read, or lacks a key or certificate; the error names property and file.
        UnsupportedFeatureError: A key store has several keys.
        SetupError: The properties have a store, and Spark was not started.
    """
    given = dict(java)
    if not has_java_stores(given):
        return given
    if is_java_store(given, "truststore"):
        given = _replaced(given, "truststore", {"ssl.truststore.certificates": _certificates(given)})
    if is_java_store(given, "keystore"):
        given = _replaced(given, "keystore", _key(given))
        given.pop("ssl.key.password", None)
    return given


def _replaced(java: Mapping[str, str], role: str, pem: Mapping[str, str]) -> dict[str, str]:
    others = {key: value for key, value in java.items() if not key.startswith(f"ssl.{role}.")}
    return {**others, f"ssl.{role}.type": "PEM", **pem}


def _certificates(java: Mapping[str, str]) -> str:
    store = _loaded(java, "truststore")
    found = [certificate for alias in _aliases(store) if (certificate := store.getCertificate(alias)) is not None]
    if not found:
        raise _unreadable(java, "truststore", "it holds no certificate", "Is ssl.truststore.password missing?")
    return "".join(map(_certificate, found))


def _key(java: Mapping[str, str]) -> dict[str, str]:
    store = _loaded(java, "keystore")
    aliases = [alias for alias in _aliases(store) if store.isKeyEntry(alias)]
    if not aliases:
        raise _unreadable(java, "keystore", "it holds no private key", "Is it the trust store?")
    if len(aliases) > 1:
        raise UnsupportedFeatureError(
            f"ssl.keystore.location = {java['ssl.keystore.location']} holds {len(aliases)} keys",
            where="Kafka properties",
            now="Keep the one to be used: keytool -importkeystore -srcalias … copies it into a store of its own.",
        )
    (alias,) = aliases
    password = java.get("ssl.key.password") or java.get("ssl.keystore.password")
    try:
        key = store.getKey(alias, _characters(password))
    except Py4JJavaError as error:
        which = "ssl.key.password" if "ssl.key.password" in java else "ssl.keystore.password"
        raise _unreadable(java, "keystore", _said(error), f"Check {which}.") from None
    chain = "".join(map(_certificate, store.getCertificateChain(alias)))
    return {"ssl.keystore.certificate.chain": chain, "ssl.keystore.key": _pem("PRIVATE KEY", _encoded(key))}


def _loaded(java: Mapping[str, str], role: str) -> Any:
    location, kind = java[f"ssl.{role}.location"], java.get(f"ssl.{role}.type", "JKS")
    if not Path(location).is_file():
        raise _unreadable(java, role, "there is no such file", "It must be there on the driver and on every worker.")
    jvm = _gateway().jvm
    try:
        store = jvm.java.security.KeyStore.getInstance(kind)
    except Py4JJavaError as error:
        raise _unreadable(java, role, _said(error), f"Check ssl.{role}.type, which is {kind}.") from None
    try:
        stream = jvm.java.io.FileInputStream(location)
        try:
            store.load(stream, _characters(java.get(f"ssl.{role}.password")))
        finally:
            stream.close()
    except Py4JJavaError as error:
        raise _unreadable(
            java, role, _said(error), f"Check ssl.{role}.password, and ssl.{role}.type, which is {kind}."
        ) from None
    return store


def _aliases(store: Any) -> Iterator[str]:
    names = store.aliases()
    while names.hasMoreElements():
        yield names.nextElement()


def _certificate(certificate: Any) -> str:
    return _pem("CERTIFICATE", certificate.getEncoded())


def _encoded(key: Any) -> bytes:
    """Return the key as PKCS #8, by its interface, since py4j cannot call classes that their module does not export."""
    gateway = _gateway()
    interface = gateway.jvm.java.lang.Class.forName("java.security.Key")
    method = interface.getMethod("getEncoded", gateway.new_array(gateway.jvm.java.lang.Class, 0))
    encoded: bytes = method.invoke(key, gateway.new_array(gateway.jvm.java.lang.Object, 0))
    return encoded


def _pem(label: str, content: bytes) -> str:
    lines = textwrap.wrap(base64.b64encode(content).decode(), _PEM_COLUMNS)
    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----", ""])


def _characters(text: str | None) -> Any:
    """Return text as Java's ``char[]``."""
    if text is None:
        return None
    gateway = _gateway()
    characters = gateway.new_array(gateway.jvm.char, len(text))
    for place, character in enumerate(text):
        characters[place] = character
    return characters


def _gateway() -> Any:
    gateway = running_gateway()
    if gateway is None:
        raise SetupError("stores of keys are read by Spark's JVM, and Spark was not started")
    return gateway


def _said(error: Py4JJavaError) -> str:
    return str(error.java_exception.getMessage())


def _unreadable(java: Mapping[str, str], role: str, what: str, now: str) -> DefinitionError:
    location = java[f"ssl.{role}.location"]
    return DefinitionError(
        f"ssl.{role}.location = {location} cannot be read: {what}", where="Kafka properties", now=now
    )
