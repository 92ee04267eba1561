"""Properties of Java's clients without a counterpart in librdkafka, with warnings for those that matter."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping
from functools import cache

__all__ = ["LOOK_UPS", "SINK", "report_untranslated", "untranslated"]

log = logging.getLogger("kafkastream")

LOOK_UPS = "the driver's look-ups and commits"
SINK = "the sink"

_SECURITY = frozenset(
    [
        "sasl.client.callback.handler.class",
        "sasl.jaas.config",
        "sasl.login.callback.handler.class",
        "sasl.login.class",
        "sasl.mechanism",
        "sasl.oauthbearer.token.endpoint.url",
        "security.protocol",
        "ssl.endpoint.identification.algorithm",
        "ssl.key.password",
        "ssl.keystore.certificate.chain",
        "ssl.keystore.key",
        "ssl.keystore.location",
        "ssl.keystore.password",
        "ssl.keystore.type",
        "ssl.truststore.certificates",
        "ssl.truststore.location",
        "ssl.truststore.password",
        "ssl.truststore.type",
    ]
)
# the schemas serialize, Spark fetches, and Flink's own keys are not for a client
_NO_CONSEQUENCE = frozenset(
    [
        "allow.auto.create.topics",
        "auto.commit.interval.ms",
        "auto.include.jmx.reporter",
        "auto.offset.reset",
        "check.crcs",
        "client.id.prefix",
        "commit.offsets.on.checkpoint",
        "default.api.timeout.ms",
        "enable.auto.commit",
        "exclude.internal.topics",
        "fetch.max.bytes",
        "fetch.max.wait.ms",
        "fetch.min.bytes",
        "flink.disable-metrics",
        "check.duplicated.group.id",
        "group.instance.id",
        "group.protocol",
        "group.remote.assignor",
        "heartbeat.interval.ms",
        "key.deserializer",
        "max.partition.fetch.bytes",
        "max.poll.interval.ms",
        "max.poll.records",
        "metadata.max.idle.ms",
        "metrics.num.samples",
        "metrics.recording.level",
        "metrics.sample.window.ms",
        "partition.assignment.strategy",
        "partition.discovery.interval.ms",
        "partitioner.adaptive.partitioning.enable",
        "partitioner.availability.timeout.ms",
        "partitioner.class",
        "partitioner.ignore.keys",
        "register.consumer.metrics",
        "register.producer.metrics",
        "sasl.login.connect.timeout.ms",
        "sasl.login.read.timeout.ms",
        "sasl.oauthbearer.clock.skew.seconds",
        "sasl.oauthbearer.expected.audience",
        "sasl.oauthbearer.expected.issuer",
        "sasl.oauthbearer.scope.claim.name",
        "sasl.oauthbearer.sub.claim.name",
        "session.timeout.ms",
        "socket.connection.setup.timeout.max.ms",
        "on.expired.marker",
        "transaction.timeout.ms",
        "transactional.id",
        "value.deserializer",
    ]
)
_FAMILIES = ("internal.", "sasl.kerberos.", "sasl.login.refresh.", "sasl.login.retry.", "sasl.oauthbearer.jwks.")
_SERIALIZERS = ("key.serializer", "value.serializer")
_BYTES = "org.apache.kafka.common.serialization.ByteArraySerializer"
_REASONS = {
    "interceptor.classes": "interceptors are Java classes",
    "metric.reporters": "reporters are Java classes",
    "key.serializer": "the sink's schema makes the bytes",
    "value.serializer": "the sink's schema makes the bytes",
    "security.providers": "TLS is OpenSSL's there",
    "ssl.cipher.suites": "OpenSSL's own choice of ciphers holds there",
    "ssl.enabled.protocols": "OpenSSL's own choice of TLS versions holds there",
    "ssl.protocol": "OpenSSL's own choice of TLS versions holds there",
}


def untranslated(java: Mapping[str, str], client: str, translated: Collection[str]) -> Iterator[str]:
    """Yield the properties without a counterpart that may matter.

    Args:
        java: All properties of the client.
        client: ``LOOK_UPS`` or ``SINK``.
        translated: Names that the client understands, apart from security.
    """
    silent = {*translated, *_SECURITY, *_NO_CONSEQUENCE}
    silent |= {key for key in _SERIALIZERS if client == LOOK_UPS or java.get(key) == _BYTES}
    return (key for key in java if key not in silent and not key.startswith(_FAMILIES))


def report_untranslated(java: Mapping[str, str], client: str, translated: Collection[str]) -> None:
    """Log the properties without a counterpart that may matter, each once, without its value."""
    for key in untranslated(java, client, translated):
        _warn_once(key, client)


@cache
def _warn_once(key: str, client: str) -> None:
    reason = _REASONS.get(key, "Kafka's C client, librdkafka, has no such property")
    verb = "run" if client == LOOK_UPS else "runs"
    log.warning("property %s: %s %s without it (%s)", key, client, verb, reason)
