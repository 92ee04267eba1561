"""Queries after LATERAL become joins, which carry the columns they need of the entries before them."""

from __future__ import annotations

import pytest

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.sql.plan.operations import GroupAggregate, Join, JoinKind, TopN
from kafkastream.sql.plan.relations import Relation, Stateful
from tests.unit.sql.planning import columns, failure, plan

SHIPS = "FROM ships WHERE oid = o.id"


def operations(relation: Relation) -> list[object]:
    """The operations of a plan, from the sink on."""
    own = [relation.operation] if isinstance(relation, Stateful) else []
    return [*own, *(one for inner in relation.inputs for one in operations(inner))]


@pytest.mark.parametrize(
    ("query", "kinds"),
    [
        (f"SELECT o.id, l.place FROM orders AS o, LATERAL (SELECT place {SHIPS}) AS l", [Join]),
        (
            f"SELECT o.id, place FROM orders AS o LEFT JOIN LATERAL (SELECT * {SHIPS} AND place <> '') AS l ON TRUE",
            [Join],
        ),
        (f"SELECT o.id, place FROM orders AS o, LATERAL (SELECT place || cur AS place {SHIPS}) AS l", [Join]),
        ("SELECT o.id, place FROM orders AS o, LATERAL (SELECT place FROM ships) AS l", [Join]),
        (f"SELECT o.id, n FROM orders AS o, LATERAL (SELECT COUNT(*) AS n {SHIPS}) AS l", [Join, GroupAggregate]),
        (f"SELECT o.id, n FROM orders AS o, LATERAL (SELECT DISTINCT place {SHIPS}) AS l (n)", [Join, GroupAggregate]),
        (
            f"SELECT o.id, span FROM orders AS o, LATERAL (SELECT span(oid) AS span {SHIPS}) AS l",
            [Join, GroupAggregate],
        ),
        (
            f"SELECT o.id, place FROM orders AS o, LATERAL (SELECT place {SHIPS} ORDER BY ts DESC LIMIT 2) AS l",
            [Join, TopN],
        ),
        (f"SELECT o.id, a FROM orders AS o, LATERAL (SELECT place AS a {SHIPS} ORDER BY a LIMIT 1) AS l", [Join, TopN]),
    ],
)
def test_a_query_becomes_a_join(query: str, kinds: list[type]) -> None:
    planned = plan(query)
    assert [type(one) for one in operations(planned)] == kinds
    assert len(columns(planned)) == 2


def test_nothing_is_counted_in_an_outer_join() -> None:
    planned = plan(
        f"SELECT n, m FROM orders AS o LEFT JOIN LATERAL (SELECT COUNT(*), MAX(place) {SHIPS}) AS l (n, m) ON TRUE"
    )
    assert columns(planned) == ["n BIGINT NOT NULL", "m STRING"]


def test_own_columns_hide_those_outside() -> None:
    found = operations(
        plan("SELECT a.v FROM clicks AS a, LATERAL (SELECT v FROM clicks WHERE k = a.k AND v > a.v) AS l")
    )
    assert isinstance(found[0], Join)
    assert found[0].kind is JoinKind.INNER


def test_rows_of_unnest_and_of_functions() -> None:
    unnested = plan(
        "SELECT oid, t FROM ships, LATERAL (SELECT tag FROM UNNEST(tags) AS u (tag) WHERE tag <> place) AS l (t)"
    )
    assert columns(unnested) == ["oid INT", "t STRING"]
    called = plan(
        "SELECT oid, w FROM ships LEFT JOIN LATERAL (SELECT w FROM LATERAL TABLE(words(place)) AS r (w, n)) AS l ON TRUE"
    )
    assert columns(called) == ["oid INT", "w STRING"]
    assert operations(called) == []


@pytest.mark.parametrize(
    ("query", "what"),
    [
        (
            "SELECT t FROM ships, LATERAL (SELECT UPPER(tag) AS t FROM UNNEST(tags) AS u (tag)) AS l",
            "Flink returns wrong rows",
        ),
        (
            "SELECT t FROM ships, LATERAL (SELECT COUNT(*) AS t FROM UNNEST(tags) AS u (tag)) AS l",
            "Aggregates in a query",
        ),
        (
            "SELECT t FROM ships, LATERAL (SELECT DISTINCT tag AS t FROM UNNEST(tags) AS u (tag)) AS l",
            "DISTINCT in a query",
        ),
        (
            "SELECT t FROM ships LEFT JOIN LATERAL (SELECT tag AS t FROM UNNEST(tags) AS u (tag) WHERE tag > '') AS l ON TRUE",
            "takes no WHERE",
        ),
        ("SELECT o.id FROM orders AS o, LATERAL (VALUES (1)) AS l", "LATERAL takes a SELECT with a FROM"),
        (
            f"SELECT o.id FROM orders AS o, LATERAL (SELECT place {SHIPS} LIMIT 1) AS l",
            "ORDER BY and LIMIT, with a number",
        ),
        (
            "SELECT o.id FROM orders AS o, LATERAL (SELECT COUNT(*) AS n FROM ships WHERE oid < o.id) AS l",
            "only by equality",
        ),
        (
            f"SELECT o.id FROM orders AS o LEFT JOIN LATERAL (SELECT COUNT(*) + 1 AS n {SHIPS}) AS l ON TRUE",
            "takes built-in aggregates of all rows alone",
        ),
        (
            f"SELECT o.id FROM orders AS o, LATERAL (SELECT COUNT(*) + o.id AS n {SHIPS}) AS l",
            "outside of it only in its WHERE clause",
        ),
    ],
)
def test_what_no_join_gives_is_refused(query: str, what: str) -> None:
    error = failure(query)
    assert isinstance(error, UnsupportedFeatureError)
    assert what in error.what
    assert error.now


def test_names_are_counted() -> None:
    assert (
        "2 column names are given for 1 columns"
        in failure(f"SELECT 1 FROM orders AS o, LATERAL (SELECT place {SHIPS}) AS l (a, b)").what
    )
