"""Settings of Flink that are refused, because ignoring them would change results or security."""

from __future__ import annotations

from typing import Final, final

import attrs

__all__ = ["REFUSED_SETTINGS", "RefusedSettings"]


@final
@attrs.frozen
class RefusedSettings:
    """Settings that are refused, since ignoring them would change results or security.

    Args:
        keys: Keys, or prefixes that end in a dot.
        reason: Why they cannot be applied.
        instead: What works instead.
        harmless: Values, in lower case, that mean what happens anyway; they are accepted.
    """

    keys: tuple[str, ...]
    reason: str
    instead: str
    harmless: tuple[str, ...] = ()


def _table_default(default: str, reason: str, instead: str, *keys: str) -> RefusedSettings:
    return RefusedSettings(keys, reason, instead, harmless=(default,))


REFUSED_SETTINGS: Final = (
    RefusedSettings(
        ("execution.state-recovery.path", "execution.savepoint.path"),
        "Spark cannot start from a savepoint or checkpoint of Flink, and the job would begin without its state.",
        "Set `execution.checkpointing.dir`, and keep it and the job's name: each start continues from there.",
    ),
    RefusedSettings(
        (
            "security.kerberos.login.",
            "security.kerberos.krb5-conf.path",
            "security.keytab",
            "security.principal",
        ),
        "Spark and the Kafka clients log in to Kerberos by themselves.",
        "For Spark: `spark-submit --principal --keytab`. For Kafka: the property `sasl.jaas.config`.",
    ),
    RefusedSettings(
        ("security.kerberos.login.use-ticket-cache",),
        "Without a keytab, Spark always uses the ticket cache.",
        "Start the program without a ticket: `kdestroy`.",
        harmless=("true",),
    ),
    RefusedSettings(
        ("security.ssl.internal.enabled",),
        "The processes of the job are Spark's, and their traffic would not be encrypted.",
        "Set `spark.network.crypto.enabled` or `spark.ssl.*`.",
        harmless=("false",),
    ),
    RefusedSettings(
        ("security.ssl.rest.enabled", "security.ssl.rest.authentication-enabled"),
        "The job page serves plain HTTP.",
        "Leave the page on `localhost`, or put a proxy with TLS in front of it.",
        harmless=("false",),
    ),
    RefusedSettings(
        ("security.context.factory.classes", "security.module.factory.classes"),
        "These are Java classes of Flink that log in, and they would not be called.",
        "Configure Spark's own security: `spark.authenticate`, `spark-submit --principal --keytab`.",
    ),
    RefusedSettings(
        ("fs.default-scheme",),
        "Paths without a scheme would be read and written elsewhere.",
        "Write the scheme in each path, or set `spark.hadoop.fs.defaultFS`.",
    ),
    _table_default(
        "default", "Only Flink's own dialect is known.", "Write statements in Flink SQL.", "table.sql-dialect"
    ),
    _table_default(
        "default_catalog",
        "A session begins in `default_catalog`.",
        "Create a catalog with CREATE CATALOG, and choose it with USE CATALOG.",
        "table.builtin-catalog-name",
    ),
    _table_default(
        "default_database",
        "A session begins in `default_database`.",
        "Create a database with CREATE DATABASE, and choose it with USE.",
        "table.builtin-database-name",
    ),
    RefusedSettings(
        ("table.column-expansion-strategy",),
        "`SELECT *` always has all columns.",
        "Name the columns in SELECT.",
        harmless=("", "[]"),
    ),
    _table_default(
        "true",
        "Hints with OPTIONS are always applied.",
        "Leave the hints out of the statements.",
        "table.dynamic-table-options.enabled",
    ),
    _table_default(
        "true",
        "Deduplication always distinguishes the first row of a key from its updates.",
        "Leave the setting out; the resulting table is the same.",
        "table.exec.deduplicate.insert-update-after-sensitive-enabled",
    ),
    _table_default(
        "disabled",
        "CAST has the rules that Flink has had since 1.15.",
        "Use TRY_CAST where a failed CAST should be NULL.",
        "table.exec.legacy-cast-behaviour",
    ),
    _table_default(
        "ignore",
        "NULL within a row, array or map is not checked against NOT NULL.",
        "Filter such rows in the query.",
        "table.exec.sink.nested-constraint-enforcer",
    ),
    _table_default(
        "enabled",
        "The rowtime of a row is always written as the record's timestamp, if the query has one.",
        "Drop the time attribute: `CAST(ts AS TIMESTAMP(3))`.",
        "table.exec.sink.rowtime-inserter",
    ),
    RefusedSettings(
        ("table.exec.sink.upsert-materialize",),
        "There is no operator that restores the order of a key's changes in front of a sink.",
        "Group or join by the sink's primary key, and leave the setting out.",
        harmless=("auto", "none"),
    ),
    _table_default(
        "false",
        "Events that a connector has written twice would be counted twice.",
        "Keep the last event of each key with ROW_NUMBER, or read the topic with `upsert-kafka`.",
        "table.exec.source.cdc-events-duplicate",
    ),
    _table_default(
        "false",
        "The fields of a nullable row keep their own nullability.",
        "Declare the fields as they are needed.",
        "table.legacy-nested-row-nullability",
    ),
    _table_default(
        "ignore",
        "Queries are not checked for functions that give another value when a row is retracted.",
        "Keep such functions out of queries whose rows are updated.",
        "table.optimizer.non-deterministic-update.strategy",
    ),
)
