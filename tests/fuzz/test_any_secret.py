"""Secrets that are planted in any text are masked in it, masking again changes nothing, and it never takes long."""

from __future__ import annotations

import json
import time
from urllib.parse import quote

from hypothesis import example, given
from hypothesis import strategies as st

from kafkastream.errors import DefinitionError, JobError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.secret_masking import masked, masked_statement, masked_value, redacted
from kafkastream.spark.session.translate_errors import translated
from kafkastream.sql.quoting import literal
from kafkastream.sql.syntax.parser import parse

SECRET = "HUSH"
SECONDS = 5.0

SIGNS = [
    *"'\"`=:;,&?@/\\{}[]()<>-#$%. \t\r\n",
    "''",
    "\\'",
    '\\"',
    "://",
    "--",
    "/*",
    "*/",
    "***",
    "…",
    "İ",
    "-----BEGIN ",
]
WORDS = ["password", "token", "a", "user", "jdbc:oracle:thin:", "http://", "Authorization: Basic ", "PRIVATE KEY-----"]
PARTS = st.one_of(st.sampled_from(SIGNS), st.sampled_from(WORDS), st.text(max_size=5))
TEXTS = st.lists(PARTS, max_size=30).map("".join)
PASSWORDS = st.tuples(TEXTS, TEXTS).map(SECRET.join)
LINES = st.tuples(*[st.text("ab0@/#!%^*()'\"[]{}.+-_~`|\\$ ", max_size=10)] * 2).map(
    lambda ends: f"p{SECRET.join(ends)}"
)
"""Passwords without what separates properties, since nothing else tells where they end."""
KEYS = st.sampled_from(
    [
        "password",
        "sasl.jaas.config",
        "ssl.keystore.key",
        "my.token",
        "S3.Secret-Key",
        "fs.azure.account.key.x",
        "db_passwd",
    ]
)


@given(KEYS, PASSWORDS, TEXTS)
def test_a_property_is_masked(key: str, password: str, other: str) -> None:
    value = password if SECRET not in other else ""
    for shown in (
        masked_value(key, value),
        redacted({"a": {"b": other, key: value}, "c": [{key: value}]}),
        repr(FrozenMap({key: value, "b": other})),
    ):
        assert SECRET not in shown


@given(KEYS, PASSWORDS, TEXTS)
@example("password", ';HUSHAuthorization: Basic "', "")
def test_a_property_in_json_or_a_literal_of_python_is_masked(key: str, password: str, other: str) -> None:
    mapping = {"b": other.replace(SECRET, ""), key: password, "c": 1}
    for text in (json.dumps(mapping), json.dumps(mapping, ensure_ascii=False), repr(mapping)):
        assert SECRET not in masked(text)
        assert SECRET not in str(JobError(f"refused: {text}", where=text))


@given(KEYS, LINES)
def test_a_property_at_the_end_of_a_line_is_masked(key: str, password: str) -> None:
    for separator in ("=", " = ", ": ", " -> "):
        text = f"refused:\n{key}{separator}{password}\nand so on"
        assert SECRET not in masked(text)
        assert SECRET not in str(translated(RuntimeError(text), "j", "k"))


@given(KEYS, PASSWORDS, TEXTS)
@example("password", "***'HUSH", "")
def test_an_option_of_a_statement_is_masked(key: str, password: str, behind: str) -> None:
    statement = f"CREATE TABLE t (a INT) WITH ('x.{key}' = {literal(password)}, 'b' = 'c') {behind.replace(SECRET, '')}"
    assert SECRET not in masked_statement(statement)
    try:
        shown = repr(parse(statement))
    except DefinitionError as error:
        shown = str(error)
    assert SECRET not in shown


@given(PASSWORDS, TEXTS)
def test_a_password_in_a_url_is_masked(password: str, behind: str) -> None:
    part = quote(password, safe="")
    for url in (f"postgresql://me:{part}@db/shop", f"jdbc:postgresql://db/shop?user=u&password={part}&ssl=on"):
        text = f"{url} {behind.replace(SECRET, '')}"
        assert SECRET not in masked(text)
        assert SECRET not in masked_statement(f"WITH ('url' = {literal(url)}, 'b' = 'c')")
        assert SECRET not in masked_value("url", url)


@given(TEXTS)
@example("http://http://http://@")
@example("Authorization: Basic ://'@")
def test_masking_again_changes_nothing(text: str) -> None:
    for mask in (masked, masked_statement, lambda whole: masked_value("a", whole)):
        once = mask(text)
        assert mask(once) == once


@given(PARTS, PARTS, st.integers(1, 20))
def test_masking_takes_linear_time(part: str, other: str, every: int) -> None:
    unit = part * every + other or "x"
    text = unit * (60_000 // len(unit))
    for mask in (masked, lambda whole: masked_value("a", whole)):  # what a mistyped statement means is a guess
        begin = time.process_time()
        mask(text)
        assert time.process_time() - begin < SECONDS
