"""User-defined table functions in FROM: their columns, and what they are joined with."""

from __future__ import annotations

import pytest

from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.plan.expression import user_calls
from kafkastream.sql.plan.relations import Explode, Project, Relation, computations
from tests.unit.sql.planning import columns, failure, plan


def explode(relation: Relation) -> Explode:
    """The first join with a function below a relation."""
    while not isinstance(relation, Explode):
        (relation,) = relation.inputs
    return relation


@pytest.mark.parametrize(
    ("entry", "outer"),
    [
        (", LATERAL TABLE(words(cur)) AS w (word, length)", False),
        ("CROSS JOIN LATERAL TABLE(default_database.words(cur)) AS w (word, length)", False),
        ("JOIN LATERAL TABLE(WORDS(cur)) AS w (word, length) ON TRUE", False),
        ("LEFT JOIN LATERAL TABLE(words(cur)) AS w (word, length) ON TRUE", True),
    ],
)
def test_a_function_adds_columns_to_each_row(entry: str, outer: bool) -> None:
    planned = plan(f"SELECT id, w.word, length, ts FROM orders {entry}")
    assert columns(planned) == ["id INT", "word STRING", "length INT", "ts TIMESTAMP(3) rowtime"]
    found = explode(planned)
    assert found.outer is outer
    assert isinstance(found.input, Project)
    assert len([call for one in computations(planned) for call in user_calls(one)]) == 1


def test_columns_without_names_have_those_of_the_type() -> None:
    assert columns(plan("SELECT * FROM ships, LATERAL TABLE(words(place))"))[-2:] == ["f0 STRING", "f1 INT"]
    assert columns(plan("SELECT * FROM TABLE(words('a b')) AS t (w, n)")) == ["w STRING", "n INT"]
    assert columns(plan("SELECT w FROM LATERAL TABLE(words('a b')) AS t (w, n)")) == ["w STRING"]


def test_changes_pass_through_a_function() -> None:
    planned = plan("SELECT cur, w FROM (SELECT cur FROM orders GROUP BY cur), LATERAL TABLE(words(cur)) AS t (w, n)")
    assert planned.changelog is ChangelogMode.RETRACT


def test_conditions_of_an_inner_join_filter() -> None:
    planned = plan("SELECT id FROM orders JOIN LATERAL TABLE(words(cur)) AS w (word, n) ON n > 2 WHERE id > 1")
    assert isinstance(planned, Project)
    assert columns(planned) == ["id INT"]


def test_unnest_takes_a_function() -> None:
    planned = plan("SELECT id, placed FROM orders CROSS JOIN UNNEST(typed(ts, price)) AS t (placed)")
    assert columns(planned) == ["id INT", "placed TIMESTAMP(3)"]
    assert isinstance(explode(planned).input, Project)


@pytest.mark.parametrize(
    ("query", "what"),
    [
        ("SELECT id FROM orders, LATERAL TABLE(missing(cur))", "no table function has this name"),
        ("SELECT id FROM orders, LATERAL TABLE(my_double(id))", "my_double is not a table function"),
        ("SELECT id FROM orders, LATERAL TABLE(words(cur)) AS t (a)", "table has 2 columns ('f0', 'f1')"),
        ("SELECT id FROM orders, LATERAL TABLE(words(txt => cur)) AS t (a, b)", "the arguments of words have no names"),
        ("SELECT words(cur) FROM orders", "The table function words is not allowed here."),
        ("SELECT id FROM orders LEFT JOIN LATERAL TABLE(words(cur)) AS t (a, b) ON a = cur", "joined ON TRUE"),
        ("SELECT id FROM orders RIGHT JOIN LATERAL TABLE(words(cur)) AS t (a, b) ON TRUE", "RIGHT join with LATERAL"),
    ],
)
def test_what_is_refused(query: str, what: str) -> None:
    assert what in failure(query).what
