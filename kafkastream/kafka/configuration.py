"""Errors of Kafka's client about its configuration."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache

from confluent_kafka import KafkaException, Producer

from kafkastream.errors import DefinitionError, UnsupportedFeatureError

__all__ = ["refused_properties", "require_provider"]

_KERBEROS = "GSSAPI"


@contextmanager
def refused_properties(where: str) -> Iterator[None]:
    """Translate the client's refusal of a property into an error about the definition of ``where``.

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
