from __future__ import annotations

from pathlib import Path

import pytest

from kafkastream.errors import DefinitionError, SetupError
from kafkastream.kafka.jaas import login_entry
from kafkastream.testing import Certificates, EmbeddedKafka, Security

PASSWORD = r'back\slash and "quote"'


def test_passwords_are_not_shown() -> None:
    assert PASSWORD not in repr(Security(users={"ann": PASSWORD}))


def test_passwords_are_quoted() -> None:
    security = Security(protocols=("SASL_PLAINTEXT",), users={"ann": PASSWORD, "bob": "b"})
    for user, password in security.users.items():
        jaas = security.client_properties("SASL_PLAINTEXT", "PLAIN", user, None)["sasl.jaas.config"]
        assert login_entry(jaas).options == {"username": user, "password": password}
    server = security.server_properties(None)["listener.name.sasl_plaintext.plain.sasl.jaas.config"]
    assert login_entry(server).options == {"user_ann": PASSWORD, "user_bob": "b"}


def test_only_ssl_asks_for_a_certificate(tmp_path: Path) -> None:
    server = Security().server_properties(Certificates(tmp_path))
    assert server["listener.name.ssl.ssl.client.auth"] == "required"
    assert server["listener.name.sasl_ssl.ssl.client.auth"] == "none"


def test_certificates_are_made_for_tls_only() -> None:
    assert not Security(protocols=("SASL_PLAINTEXT",)).uses_tls
    assert not Security(protocols=("SSL",), users={}).uses_sasl


def test_what_is_not_there_is_told() -> None:
    security = Security(protocols=("SASL_SSL",))
    with pytest.raises(DefinitionError, match="no listener for SSL"):
        security.client_properties("SSL", "PLAIN", None, None)
    with pytest.raises(DefinitionError, match="no user 'eve'"):
        security.client_properties("SASL_SSL", "PLAIN", "eve", None)
    with pytest.raises(DefinitionError, match="SASL requires users"):
        Security(users={})
    with pytest.raises(DefinitionError, match="TLS: no protocol of"):
        Security(protocols=("TLS",))  # type: ignore[arg-type]  # what is tested


def test_broker_that_was_not_started_has_no_listeners() -> None:
    kafka = EmbeddedKafka(security=Security())
    for ask in (kafka.listener, lambda: kafka.certificates):
        with pytest.raises(SetupError, match="was not started"):
            ask()
