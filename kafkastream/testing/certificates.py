"""TLS certificates of an embedded broker and of a client, made with the JDK's ``keytool``."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias, final

import attrs

from kafkastream.errors import SetupError

__all__ = ["Certificates", "StoreKind", "TrustStoreKind"]

StoreKind: TypeAlias = Literal["JKS", "PKCS12"]
TrustStoreKind: TypeAlias = Literal["JKS", "PEM", "PKCS12"]

_PASSWORD = "changeit"  # noqa: S105 - the stores live as long as their broker
_ENDINGS = {"JKS": "jks", "PEM": "pem", "PKCS12": "p12"}
_QUICK = ("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC")
_KEY = ("-keyalg", "EC", "-groupname", "secp256r1", "-validity", "3650")
_NAMES = "san=ip:127.0.0.1,dns:localhost"


@final
@attrs.frozen
class Certificates:
    """Certificate authority, and the certificates of the broker (for 127.0.0.1 and localhost) and of a client.

    Args:
        directory: Directory of the files, which exists until the broker is stopped.
    """

    directory: Path

    def truststore(self, kind: TrustStoreKind) -> dict[str, str]:
        """Return the Java client properties of a trust store for the broker's certificate.

        Args:
            kind: Type of the store; all types hold the same certificate.
        """
        return _store_properties("truststore", kind, self._file("truststore", kind))

    def keystore(self, kind: StoreKind) -> dict[str, str]:
        """Return the Java client properties of a key store with the certificate of ``CN=client``.

        Args:
            kind: Type of the store; both types hold the same certificate.
        """
        return _store_properties("keystore", kind, self._file("client", kind))

    def server(self) -> dict[str, str]:
        """Return the TLS properties of the broker."""
        return {
            **_store_properties("truststore", "PKCS12", self._file("truststore", "PKCS12")),
            **_store_properties("keystore", "PKCS12", self._file("server", "PKCS12")),
        }

    def make(self, java: Path) -> None:
        """Create all files, which takes two or three seconds.

        Args:
            java: Path of ``java``, in whose directory ``keytool`` is.

        Raises:
            SetupError: ``keytool`` does not exist, or failed.
        """
        self.directory.mkdir()
        keytool = partial(_run, _keytool(java))
        every, authority = self._file("every", "PKCS12"), self._file("truststore", "PEM")
        signed = ("-genkeypair", *_KEY, "-signer", "authority", *_in(every))
        keytool(("-genkeypair", *_KEY, "-alias", "authority", "-dname", "CN=authority", "-ext", "bc:c", *_in(every)))
        keytool(("-exportcert", "-rfc", "-alias", "authority", "-file", str(authority), *_in(every)))
        keytool((*signed, "-alias", "server", "-dname", "CN=server", "-ext", _NAMES))
        keytool((*signed, "-alias", "client", "-dname", "CN=client"))
        trust = ("-importcert", "-noprompt", "-alias", "authority", "-file", str(authority))
        copied = ("-importkeystore", "-noprompt", "-srckeystore", str(every), "-srcstorepass", _PASSWORD, "-srcalias")
        apart = [
            (*trust, *_in(self._file("truststore", "JKS"), "-storetype", "JKS")),
            (*trust, *_in(self._file("truststore", "PKCS12"), "-storetype", "PKCS12")),
            (*copied, "server", *_to(self._file("server", "PKCS12"), "PKCS12")),
            (*copied, "client", *_to(self._file("client", "PKCS12"), "PKCS12")),
            (*copied, "client", *_to(self._file("client", "JKS"), "JKS")),
        ]
        with ThreadPoolExecutor() as threads:
            list(threads.map(keytool, apart))

    def _file(self, name: str, kind: TrustStoreKind) -> Path:
        return self.directory / f"{name}.{_ENDINGS[kind]}"


def _in(store: Path, *more: str) -> Sequence[str]:
    return ("-keystore", str(store), "-storepass", _PASSWORD, *more)


def _to(store: Path, kind: StoreKind) -> Sequence[str]:
    return ("-destkeystore", str(store), "-deststorepass", _PASSWORD, "-deststoretype", kind)


def _store_properties(role: str, kind: TrustStoreKind, file: Path) -> dict[str, str]:
    password = {} if kind == "PEM" else {f"ssl.{role}.password": _PASSWORD}
    return {f"ssl.{role}.type": kind, f"ssl.{role}.location": str(file), **password}


def _keytool(java: Path) -> str:
    folders = (java.parent, java.resolve().parent)
    found = next(filter(None, (shutil.which("keytool", path=str(folder)) for folder in folders)), None)
    if found is None:
        raise SetupError(f"no keytool in the directory of {java}", now="Install a complete JRE or JDK.")
    return found


def _run(keytool: str, arguments: Sequence[str]) -> None:
    command = (keytool, *_QUICK, *arguments)
    run = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)  # noqa: S603
    if run.returncode:
        raise SetupError("keytool could not make the broker's certificates", where=(run.stdout + run.stderr).strip())
