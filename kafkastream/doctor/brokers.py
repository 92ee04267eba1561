"""Checks of the Kafka brokers: connection, topics, and the permissions that sources and sinks need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import final

import attrs

from kafkastream.doctor.finding import Finding, Verdict, run_check
from kafkastream.kafka.admin import Cluster
from kafkastream.kafka.permissions import Permissions
from kafkastream.spark.session.key_stores import with_pem_stores

__all__ = ["Access", "broker_findings"]

_CREATE_ADVICE = "Create the topic, check its name, or grant Describe on it to the client's principal."


@final
@attrs.frozen(kw_only=True)
class Access:
    """Access to the brokers that a job will need.

    Args:
        properties: Java client properties, with ``bootstrap.servers``.
        sources: Topics that it reads.
        sinks: Topics that it writes.
        group: Consumer group of its sources, where offsets are committed; None for none.
        transactional_id_prefix: Prefix of its exactly-once sinks; None for none.
    """

    properties: Mapping[str, str] = attrs.field(repr=False)
    sources: tuple[str, ...] = ()
    sinks: tuple[str, ...] = ()
    group: str | None = None
    transactional_id_prefix: str | None = None


def broker_findings(access: Access) -> Iterator[Finding]:
    """Yield a finding for each check of the brokers; if the connection fails, it is the only one."""
    topics: dict[str, int] = {}
    connection = run_check("brokers", lambda: _check_connection(access, topics))
    yield connection
    if connection.verdict is Verdict.WRONG:
        return
    permissions = Permissions(with_pem_stores(access.properties))
    for topic in access.sources:
        yield run_check(f"source {topic}", partial(_check_topic, permissions, topics, topic, "READ", "source"))
    for topic in access.sinks:
        yield run_check(f"sink {topic}", partial(_check_topic, permissions, topics, topic, "WRITE", "sink"))
    if access.group is not None:
        yield run_check(f"group {access.group}", partial(_check_group, permissions, access.group))
    if access.transactional_id_prefix is not None:
        prefix = access.transactional_id_prefix
        yield run_check(f"transactions {prefix}", partial(_check_transactions, permissions, prefix))


def _check_connection(access: Access, topics: dict[str, int]) -> str:
    topics |= Cluster(with_pem_stores(access.properties)).topics()
    protocol = access.properties.get("security.protocol", "PLAINTEXT")
    return f"{access.properties['bootstrap.servers']} by {protocol}, {len(topics)} topics"


def _check_topic(
    permissions: Permissions, topics: Mapping[str, int], topic: str, needed: str, role: str
) -> str | Finding:
    subject = f"{role} {topic}"
    if topic not in topics:
        return Finding.wrong(subject, "there is no such topic, or the client may not see it", _CREATE_ADVICE)
    allowed = permissions.on_topic(topic)
    if needed not in allowed:
        return Finding.wrong(
            subject, f"the client may not {needed.lower()} it", f"Grant {needed.title()} on the topic to its principal."
        )
    partitions = topics[topic]
    return f"{partitions} partition{'s' if partitions > 1 else ''}, may be {'read' if needed == 'READ' else 'written'}"


def _check_group(permissions: Permissions, group: str) -> str | Finding:
    if "READ" not in permissions.on_group(group):
        now = "Grant Read on the group to the client's principal, or set commit.offsets.on.checkpoint = false."
        return Finding.wrong(f"group {group}", "the client may not commit offsets to it", now)
    return "offsets may be committed"


def _check_transactions(permissions: Permissions, prefix: str) -> str | Finding:
    subject, name = f"transactions {prefix}", f"{prefix}-doctor"
    if not permissions.writes_transactions(name):
        now = f"Grant Write and Describe on transactional ids with the prefix {prefix} to the client's principal."
        return Finding.wrong(subject, "the client may not write transactions", now)
    if "READ" not in permissions.on_group(name):
        now = f"Grant Read on groups with the prefix {prefix}, too: the sink keeps its progress there."
        return Finding.wrong(subject, "the client may not use groups of that name", now)
    return "transactions may be written, and their progress kept"
