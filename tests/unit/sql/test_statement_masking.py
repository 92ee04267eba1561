"""Errors and values show no secret."""

from __future__ import annotations

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.secret_masking import masked_statement
from kafkastream.sql.syntax.parser import parse, parse_one
from kafkastream.sql.table import Expression

OPTIONS = "'properties.sasl.jaas.config' = 'x required username=\"u\" password=\"hunter2\";'"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("'a.password' = 'hunter''2', 'b' = 'c'", "'a.password' = ***, 'b' = 'c'"),
        ("'a.password' =\n  'hunter2') x", "'a.password' =\n  ***) x"),
        ("'a.password' 'hunter2'", "'a.password' ***"),
        ("'a.password' = hunter2',\n 'b'", "'a.password' = ***\n 'b'"),
        ("'a.password = 'hunter2', 'b'", "'a.password = ***, 'b'"),
        ("a.password' = 'hunter2', 'b'", "a.password' = ***, 'b'"),
        ("'a.password' = 'hunter2", "'a.password' = ***"),
        ("'a.password' =\n hunter2", "'a.password' =\n ***"),
        ("-- like password=hunter2;\nb", "-- like password=***\nb"),
        ("'a.password' = 'hunter2' 'b' = 'c'", "'a.password' = *** 'b' = 'c'"),
        ("'url' = 'http://me:hunter2@host/path'", "'url' = 'http://***@host/path'"),
        (
            "password STRIN, `token` INT, 'a.fields' = 'password', 'b' = 'c'",
            "password STRIN, `token` INT, 'a.fields' = 'password', 'b' = 'c'",
        ),
        (OPTIONS + ", 'b' = 'c'", "'properties.sasl.jaas.config' = ***, 'b' = 'c'"),
    ],
)
def test_masked(text: str, shown: str) -> None:
    assert masked_statement(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE t (a INT) WITH ('a.password' = 'hunter2' 'b' = 'c')",
        "CREATE TABLE t (a INT) WITH ('a.password' 'hunter2')",
        "CREATE TABLE t (a INT) WITH ('a.password' = hunter2')",
        "CREATE TABLE t (a INT) WITH ('a.password = 'hunter2', 'b' = 'c')",
        "CREATE TABLE t (a INT) WITH ('connector = 'kafka', 'a.password' = 'hunter2', 'b' = 'c')",
        "CREATE TABLE t (a INT) WITH ('connector = 'kafka', 'a.password' =\n 'hunter2')",
        "CREATE TABLE t (a INT) WITH ('a.password' =\n 'hunter2' oops)",
        "CREATE TABLE t (a INT) WITH ('a.password' = 'hunter2)",
        "CREATE TABLE t (a INT) WITH ('url' = 'http://me:hunter2@host' 'b' = 'c')",
        f"CREATE TABLE t (a INTT) WITH ({OPTIONS})",
        f"CREATE TABLE t (a INT) WITH ({OPTIONS}) oops",
        f"INSERT INTO t /*+ OPTIONS({OPTIONS}, 'b') */ SELECT 1",
        f"INSERT INTO t SELECT (1 FROM s /*+ OPTIONS({OPTIONS}) */",
        "SET 'a.password' = 'hunter2' oops",
        "SET a.password = hunter2 oops",
    ],
)
def test_no_error_shows_a_secret(text: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        parse(text)
    assert "hunter2" not in str(caught.value)


def test_no_error_shows_a_secret_whatever_is_mistyped() -> None:
    text = (
        "CREATE TABLE t (a INT) WITH ('b' = 'c', 'ssl.key.password' = 'hunter2', 'd' = 'e'); INSERT INTO t SELECT 'f'"
    )
    kept = {
        *range(text.index("password"), text.index("password") + 8),
        *range(text.index("hunter2"), text.index("hunter2") + 7),
    }
    mistyped = [
        text[:at] + typed + text[at + 1 :]
        for at in range(len(text))
        if at not in kept
        for typed in ("", "'", '"', "`", ",", ";", "(", "--", "/*", "\n")
    ]
    assert [one for one in mistyped if "hunter2" in said_about(one)] == []


def said_about(text: str) -> str:
    try:
        return repr(parse(text))
    except DefinitionError as error:
        return str(error)


@pytest.mark.parametrize(
    "text",
    [
        f"CREATE TABLE t (a INT) WITH ({OPTIONS})",
        f"CREATE CATALOG c WITH ({OPTIONS})",
        f"CREATE DATABASE c WITH ({OPTIONS})",
        f"CREATE TABLE t AS TABLE s /*+ OPTIONS({OPTIONS}) */",
        f"INSERT INTO t /*+ OPTIONS({OPTIONS}) */ SELECT * FROM s /*+ OPTIONS({OPTIONS}) */",
        "SET 'a.password' = 'hunter2'",
    ],
)
def test_no_statement_shows_a_secret(text: str) -> None:
    statement = parse_one(text)
    assert "hunter2" not in repr(statement)
    assert "***" in repr(statement)


def test_the_caret_points_behind_a_mask_at_what_is_wrong() -> None:
    with pytest.raises(DefinitionError) as caught:
        parse("CREATE TABLE t (a INT) WITH (\n\t'a.password' = 'hunter2', b = 'c')")
    assert caught.value.where.splitlines() == [
        "line 2, column 28",
        "       'a.password' = ***, b = 'c')",
        "                           ^",
    ]


def test_a_long_line_is_shown_around_the_caret() -> None:
    columns = ", ".join(f"column_{number} STRING" for number in range(40))
    with pytest.raises(DefinitionError) as caught:
        parse(f"CREATE TABLE t ({columns}, wrong STRIN, {columns})")
    _, line, caret = caught.value.where.splitlines()
    assert line[caret.index("^") :].startswith("STRIN,")
    assert len(line) < 120
    assert line.strip()[0] == line[-1] == "…"


def test_an_expression_keeps_what_it_does_not_show() -> None:
    expression = Expression("a = 'http://me:hunter2@host'")
    assert "hunter2" not in repr(expression)
    assert "hunter2" in expression.text
