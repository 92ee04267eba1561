"""The client properties of Kafka tables."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Final

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.connectors.kafka_source_properties import CHECK_DUPLICATED_GROUP as CHECK_PROPERTY
from kafkastream.model.connectors.kafka_source_properties import DISCOVERY_INTERVAL as DISCOVERY_PROPERTY
from kafkastream.sql.connectors.kafka_options import CHECK_DUPLICATED_GROUP, DISCOVERY_INTERVAL, PROPERTIES
from kafkastream.sql.connectors.scan_offsets import AUTO_OFFSET_RESET
from kafkastream.sql.table_options import Declaration, GivenOptions

__all__ = ["consumer_properties", "producer_properties"]

log = logging.getLogger("kafkastream")

_GROUP: Final = "group.id"
_SHADED: Final = "org.apache.flink.kafka.shaded."
_NO_EFFECT: Final[Mapping[str, str]] = {
    "key.deserializer": "the formats decode",
    "value.deserializer": "the formats decode",
    "key.serializer": "the formats encode",
    "value.serializer": "the formats encode",
    "connector.auth.open": "only Huawei's connector has it; the other properties say how to log in",
    "connector.kerberos.principal": "only Huawei's connector has it; name it in properties.sasl.jaas.config",
    "connector.kerberos.keytab": "only Huawei's connector has it; name it in properties.sasl.jaas.config",
    "connector.kerberos.krb5": "only Huawei's connector has it; the JVM's java.security.krb5.conf says where it is",
}


def consumer_properties(options: GivenOptions[Declaration], default_group: str | None) -> dict[str, str]:
    """Return the properties of a source.

    Args:
        options: Options of a table or catalog.
        default_group: Consumer group if none is given.
    """
    properties = _client_properties(options)
    properties.pop(AUTO_OFFSET_RESET, None)  # the starting offsets replace it
    if default_group is not None:
        properties.setdefault(_GROUP, default_group)
    if options.get(CHECK_DUPLICATED_GROUP):
        properties[CHECK_PROPERTY] = "true"
    if options.has(DISCOVERY_INTERVAL) or DISCOVERY_PROPERTY in properties:
        properties[DISCOVERY_PROPERTY] = str(options.get(DISCOVERY_INTERVAL))
    return properties


def producer_properties(options: GivenOptions[Declaration]) -> dict[str, str]:
    """Return the properties of a sink, without those of consumers."""
    of_consumers = {AUTO_OFFSET_RESET, _GROUP, DISCOVERY_PROPERTY}
    return {key: value for key, value in _client_properties(options).items() if key not in of_consumers}


def _client_properties(options: GivenOptions[Declaration]) -> dict[str, str]:
    """Return the Kafka client properties, by Java's names, with the paths of local files.

    Names of Kafka classes shaded by Flink or Alibaba Cloud are mapped to Kafka's own.
    """
    given = options.under(PROPERTIES)
    for key, value in given.items():
        if key.endswith(".location") and "://" in value:
            raise UnsupportedFeatureError(
                f"{options.shown(PROPERTIES.prefix + key)} is not a file on this machine",
                where=options.where(PROPERTIES.prefix + key),
                now="Copy it to the same place on every machine of the cluster, and give its path.",
            )
    for key in given.keys() & _NO_EFFECT.keys():
        log.warning("%s: no effect; %s", options.where(PROPERTIES.prefix + key), _NO_EFFECT[key])
    return {key: _unshaded(value) for key, value in given.items() if key not in _NO_EFFECT}


def _unshaded(value: str) -> str:
    """Return a value with Kafka's own class names; others stay as they are, since ``replace`` would expose a secret."""
    return value.replace(_SHADED, "") if _SHADED in value else value
