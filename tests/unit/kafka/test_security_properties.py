from __future__ import annotations

from pathlib import Path

import pytest

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.kafka.properties import client_properties, producer_properties
from kafkastream.kafka.security import has_java_stores, security_properties

SHADED = "org.apache.flink.kafka.shaded.org.apache.kafka.common.security"
SECRET = "hunter2"
CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"
KEY = f"-----BEGIN PRIVATE KEY-----\n{SECRET}\n-----END PRIVATE KEY-----"


def sasl(mechanism: str, jaas: str, **more: str) -> dict[str, str]:
    properties = {key.replace("_", "."): value for key, value in more.items()}
    return {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": mechanism,
        "sasl.jaas.config": jaas,
        **properties,
    }


def own(mechanism: str, **more: str) -> dict[str, str]:
    properties = {key.replace("_", "."): value for key, value in more.items()}
    return {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": mechanism, **properties}


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
@pytest.mark.parametrize("module", ["plain.PlainLoginModule", "scram.ScramLoginModule"])
def test_user_and_password(mechanism: str, module: str) -> None:
    java = sasl(mechanism, f'{SHADED}.{module} required username="u" password="p";')
    assert security_properties(java) == own(mechanism, sasl_username="u", sasl_password="p")


def test_tokens_of_an_endpoint() -> None:
    jaas = 'OAuthBearerLoginModule required clientId="c" clientSecret="s" scope="all" extension_a="1" extension_b="2";'
    handler = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler"
    java = sasl("OAUTHBEARER", jaas, sasl_oauthbearer_token_endpoint_url="https://id/token")
    assert security_properties({**java, "sasl.login.callback.handler.class": handler}) == own(
        "OAUTHBEARER",
        sasl_oauthbearer_method="oidc",
        sasl_oauthbearer_token_endpoint_url="https://id/token",
        sasl_oauthbearer_client_id="c",
        sasl_oauthbearer_client_secret="s",
        sasl_oauthbearer_scope="all",
        sasl_oauthbearer_extensions="a=1,b=2",
    )


def test_kerberos() -> None:
    module = "com.sun.security.auth.module.Krb5LoginModule"
    with_keytab = sasl("GSSAPI", f'{module} required useKeyTab=true keyTab="/k" principal="me@X" serviceName=kafka;')
    assert security_properties(with_keytab) == own(
        "GSSAPI", sasl_kerberos_service_name="kafka", sasl_kerberos_keytab="/k", sasl_kerberos_principal="me@X"
    )
    with_tickets = sasl("GSSAPI", f"{module} required useTicketCache=true;", sasl_kerberos_service_name="kafka")
    assert security_properties(with_tickets) == own(
        "GSSAPI", sasl_kerberos_service_name="kafka", sasl_kerberos_kinit_cmd=""
    )


@pytest.mark.parametrize("translate", [client_properties, producer_properties])
def test_kerberos_is_not_in_the_wheels(translate: object) -> None:
    java = sasl("GSSAPI", "Krb5LoginModule required useTicketCache=true;", bootstrap_servers="k:1")
    assert callable(translate)
    with pytest.raises(UnsupportedFeatureError, match="not in this machine's librdkafka") as raised:
        translate(java)
    assert "libsasl2" in raised.value.now


@pytest.mark.parametrize(
    ("java", "kind", "what"),
    [
        (sasl("PLAIN", "OtherLoginModule required;"), UnsupportedFeatureError, "login module OtherLoginModule cannot"),
        (sasl("PLAIN", f"{SECRET} required;"), UnsupportedFeatureError, "login module of this class cannot"),
        (sasl("PLAIN", f"PlainLoginModule required password={SECRET};"), DefinitionError, "lacks the option username"),
        (
            sasl("SCRAM-SHA-256", f"ScramLoginModule required username=u password={SECRET} tokenauth=true;"),
            UnsupportedFeatureError,
            "delegation tokens",
        ),
        (sasl("OAUTHBEARER", "OAuthBearerLoginModule required;"), UnsupportedFeatureError, "token.endpoint.url"),
        (sasl("DIGEST-MD5", "M required;"), UnsupportedFeatureError, "sasl.mechanism = DIGEST-MD5"),
        ({"security.protocol": "SASL_SSL"}, DefinitionError, "sasl.mechanism = GSSAPI needs sasl.jaas.config"),
        ({"security.protocol": "TLS"}, DefinitionError, "security.protocol = TLS is not one of"),
        (
            sasl("PLAIN", "M required;", sasl_client_callback_handler_class="com.Handler"),
            UnsupportedFeatureError,
            "sasl.client.callback.handler.class = com.Handler",
        ),
    ],
)
def test_what_cannot_be_is_refused_without_telling_secrets(
    java: dict[str, str], kind: type[Exception], what: str
) -> None:
    with pytest.raises(kind) as raised:
        security_properties(java)
    assert what in str(raised.value)
    assert SECRET not in str(raised.value)


def test_pem_given_as_text() -> None:
    java = {
        "security.protocol": "ssl",
        "ssl.truststore.type": "PEM",
        "ssl.truststore.certificates": CERTIFICATE,
        "ssl.keystore.type": "PEM",
        "ssl.keystore.certificate.chain": CERTIFICATE,
        "ssl.keystore.key": KEY,
        "ssl.key.password": "p",
    }
    assert security_properties(java) == {
        "security.protocol": "SSL",
        "ssl.ca.pem": CERTIFICATE,
        "ssl.certificate.pem": CERTIFICATE,
        "ssl.key.pem": KEY,
        "ssl.key.password": "p",
    }


def test_pem_in_files(tmp_path: Path) -> None:
    trust, key = tmp_path / "trust.pem", tmp_path / "key.pem"
    trust.write_text(CERTIFICATE)
    key.write_text(f"{CERTIFICATE}\n{KEY}\n{CERTIFICATE}\n")
    java = {
        "security.protocol": "SSL",
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(trust),
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(key),
    }
    assert security_properties(java) == {
        "security.protocol": "SSL",
        "ssl.ca.pem": CERTIFICATE,
        "ssl.certificate.pem": f"{CERTIFICATE}\n{CERTIFICATE}",
        "ssl.key.pem": KEY,
    }
    for content, lacking in ((KEY, "certificate"), (CERTIFICATE, "private key")):
        key.write_text(content)
        with pytest.raises(DefinitionError, match=f"key.pem holds no {lacking}"):
            security_properties(java)


def test_certificates_as_text_are_pem() -> None:
    with pytest.raises(DefinitionError, match=r"ssl\.truststore\.certificates needs ssl\.truststore\.type = PEM"):
        security_properties({"security.protocol": "SSL", "ssl.truststore.certificates": CERTIFICATE})


def test_stores_of_java_need_a_jvm() -> None:
    for role in ("truststore", "keystore"):
        with pytest.raises(UnsupportedFeatureError, match=f"a {role} of type JKS can be read only by a JVM"):
            security_properties({"security.protocol": "SSL", f"ssl.{role}.location": "/a.jks"})


@pytest.mark.parametrize(
    ("java", "expected"),
    [
        ({"security.protocol": "SSL", "ssl.truststore.location": "/t.jks"}, True),
        ({"security.protocol": "sasl_ssl", "ssl.keystore.location": "/k.p12", "ssl.keystore.type": "PKCS12"}, True),
        ({"security.protocol": "SSL", "ssl.truststore.location": "/t.pem", "ssl.truststore.type": "pem"}, False),
        ({"security.protocol": "SSL"}, False),
        ({"security.protocol": "SASL_PLAINTEXT", "ssl.truststore.location": "/t.jks"}, False),
        ({"ssl.truststore.location": "/t.jks"}, False),
    ],
)
def test_stores_of_java_are_found_where_the_protocol_uses_them(java: dict[str, str], expected: bool) -> None:
    assert has_java_stores(java) is expected


@pytest.mark.parametrize(("java", "expected"), [("", "none"), ("https", "https"), ("HTTPS", "https")])
def test_check_of_host_names(java: str, expected: str) -> None:
    key = "ssl.endpoint.identification.algorithm"
    assert security_properties({"security.protocol": "SSL", key: java})[key] == expected


def test_what_a_protocol_does_not_use_is_not_even_read() -> None:
    unused = {"ssl.truststore.location": "/no/such.jks", "sasl.mechanism": "NONE", "sasl.jaas.config": SECRET}
    assert security_properties({"security.protocol": "plaintext", **unused}) == {"security.protocol": "PLAINTEXT"}
