"""Errors about the configuration of Kafka's client."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache

from confluent_kafka import KafkaException, Producer

from kafkastream.errors import DefinitionError, UnsupportedFeatureError

__all__ = ["require_provider", "translate_refused_property"]

_KERBEROS = "GSSAPI"


@contextmanager
def translate_refused_property(where: str) -> Iterator[None]:
    """Translate the client's error about a property into an error about the definition ``where``.

    Raises:
        DefinitionError: The client refuses a property.
    """
    try:
        yield
    except KafkaException as error:
        raise DefinitionError(
            f"Kafka's client refuses a property: {error.args[0].str()}",
            where=where,
            now="Correct its value; Java's names of properties are translated to the client's own.",
        ) from None


def require_provider(mechanism: str) -> None:
    """Check that this machine's librdkafka supports ``mechanism``.

    Raises:
        UnsupportedFeatureError: Kerberos is asked for, and librdkafka was built without, as in confluent-kafka's
            wheels.
    """
    if mechanism == _KERBEROS and not _has_kerberos():
        raise UnsupportedFeatureError(
            "sasl.mechanism = GSSAPI (Kerberos) is not in this machine's librdkafka, as in all wheels of confluent-kafka",
            where="Kafka properties",
            now="Install librdkafka with libsasl2, and then: pip install --no-binary confluent-kafka confluent-kafka. "
            "Spark's own source needs none of this, but offsets and the sink do.",
        )


@cache
def _has_kerberos() -> bool:
    with suppress(KafkaException):
        Producer({"security.protocol": "sasl_plaintext", "sasl.mechanism": _KERBEROS, "log_level": 0})
        return True
    return False
