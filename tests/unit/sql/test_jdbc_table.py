"""Tables of the connector ``jdbc``: their options, what they refuse, and what they take of a query."""

from __future__ import annotations

import pickle
from collections.abc import Mapping

import pytest

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.connectors import JdbcTableSink, sink_of, source_of
from kafkastream.sql.plan.operations import Materialize
from kafkastream.sql.plan.relations import Field, Relation, Scan, Stateful
from kafkastream.sql.plan.sink_changes import consumed
from kafkastream.sql.types import DataType, Kind
from tests.unit.sql.tables import BIGINT, STRING, at, error, metadata, physical, table

GIVEN = {"connector": "jdbc", "url": "jdbc:postgresql://db:5433/shop", "table-name": "orders"}
ENOUGH = {**GIVEN, "username": "ann", "password": "hidden"}


def test_sink_has_the_key_and_shows_no_password() -> None:
    made = sink_of(table(ENOUGH, primary_key=["id"]))
    assert isinstance(made, JdbcTableSink)
    assert (made.table_name, made.columns, made.primary_key) == ("orders", (("id", BIGINT), ("name", STRING)), ("id",))
    assert made.changelog is ChangelogMode.UPSERT
    assert sink_of(table(ENOUGH)).changelog is ChangelogMode.APPEND
    assert made.connection.password == "hidden"
    assert "hidden" not in repr(made)
    assert pickle.loads(pickle.dumps(made)) == made


def test_options_for_reading_are_taken_and_have_no_effect() -> None:
    reading = {
        "scan.fetch-size": "10",
        "scan.auto-commit": "false",
        "filter.handling.policy": "never",
        "lookup.cache": "PARTIAL",
        "lookup.partial-cache.max-rows": "5",
        "lookup.cache.max-rows": "5",
        "lookup.cache.ttl": "10 s",
        "driver": "org.postgresql.Driver",
    }
    assert isinstance(sink_of(table({**ENOUGH, **reading})), JdbcTableSink)


@pytest.mark.parametrize(
    ("options", "text", "key"),
    [
        ({"connector": "jdbc", "url": "x"}, "Missing required options are: table-name", None),
        ({**ENOUGH, "user": "ann"}, "Unsupported options found for 'jdbc'. Unsupported options: user.", "user"),
        ({**GIVEN, "url": "postgresql://db/shop"}, "is not a JDBC URL", "url"),
        ({**GIVEN, "username": "ann"}, "Either all or none of the following options should be provided", "username"),
        ({**GIVEN, "scan.partition.num": "3"}, "scan.partition.column, scan.partition.num", "scan.partition.num"),
        ({**ENOUGH, "sink.max-retries": "-1"}, "shouldn't be smaller than 0, but is '-1'", "sink.max-retries"),
        ({**ENOUGH, "sink.buffer-flush.max-rows": "-1"}, "shouldn't be smaller than 0", "sink.buffer-flush.max-rows"),
        (
            {**ENOUGH, "connection.max-retry-timeout": "20 ms"},
            "shouldn't be smaller than 1 second, but is '20 ms'",
            "connection.max-retry-timeout",
        ),
        ({**ENOUGH, "scan.auto-commit": "maybe"}, "expected true or false", "scan.auto-commit"),
    ],
)
def test_wrong_options(options: Mapping[str, str], text: str, key: str | None) -> None:
    said = error(sink_of, table(options))
    assert text in said
    assert key is None or at(options, key) in said
    assert "hidden" not in said


def test_other_databases_are_refused_by_name() -> None:
    options = {**ENOUGH, "url": "jdbc:mysql://db:3306/shop?password=hidden"}
    said = error(sink_of, table(options), UnsupportedFeatureError)
    assert "JDBC sinks cannot write to mysql" in said
    assert at(options, "url") in said
    assert "hidden" not in said


def test_properties_of_the_java_driver_are_refused_with_what_works() -> None:
    options = {**ENOUGH, "properties.ssl": "hidden"}
    said = error(sink_of, table(options), UnsupportedFeatureError)
    assert at(options, "properties.ssl") in said
    assert "?sslmode=require" in said
    assert "hidden" not in said


def test_reading_is_refused_with_what_works() -> None:
    said = error(source_of, table(ENOUGH), UnsupportedFeatureError)
    assert "cannot be read here, neither scanned nor looked up" in said
    assert "Debezium" in said
    assert "Missing required options" in error(source_of, table({"connector": "jdbc"}))


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        (DataType.of(Kind.MAP, parts=(STRING, STRING)), "doesn't support type: MAP<STRING, STRING>"),
        (DataType.of(Kind.ARRAY, parts=(DataType.of(Kind.ROW),)), "doesn't support type: ARRAY<ROW<>>"),
        (DataType.of(Kind.TIMESTAMP, 9), "The precision of field 'v' is out of the TIMESTAMP precision range [1, 6]"),
    ],
)
def test_types_that_postgresql_lacks_are_refused(type_: DataType, text: str) -> None:
    assert text in error(sink_of, table(ENOUGH, (physical("id", BIGINT), physical("v", type_))))


def test_metadata_is_not_written() -> None:
    said = error(sink_of, table(ENOUGH, (physical("id"), metadata("offset", BIGINT))))
    assert "declares persistable metadata columns" in said


def read(changelog: ChangelogMode, upsert_key: tuple[int, ...] | None) -> Relation:
    """Rows of a table that another program changes."""
    fields = (Field("id", BIGINT), Field("name", STRING))
    return Scan(table=table({}), fields=fields, changelog=changelog, upsert_key=upsert_key)


@pytest.mark.parametrize("changelog", list(ChangelogMode))
def test_changes_by_the_primary_key_are_taken_as_they_are(changelog: ChangelogMode) -> None:
    definition = table(ENOUGH, primary_key=["id"])
    rows = read(changelog, (0,))
    assert consumed(rows, sink_of(definition), definition, 0) is rows


def test_changes_by_another_key_become_those_of_the_primary_key() -> None:
    definition = table(ENOUGH, primary_key=["name"])
    rows = consumed(read(ChangelogMode.RETRACT, (0,)), sink_of(definition), definition, 0)
    assert isinstance(rows, Stateful)
    assert isinstance(rows.operation, Materialize)
    assert rows.upsert_key == (1,)


def test_changes_into_a_table_without_key_are_refused() -> None:
    definition = table(ENOUGH)
    assert consumed(read(ChangelogMode.APPEND, None), sink_of(definition), definition, 0).changelog.is_insert_only
    with pytest.raises(DefinitionError, match="doesn't support consuming update and delete changes") as raised:
        consumed(read(ChangelogMode.UPSERT, (0,)), sink_of(definition), definition, 0)
    assert "Please declare primary key for sink table when query contains update/delete record" in str(raised.value)
