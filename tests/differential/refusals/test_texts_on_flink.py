"""Statements with mistakes and odd literals are refused where real Flink refuses them, in plain words with a place."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from tests.differential.refusals.refusal_cases import LITERALS, SYNTAX
from tests.differential.refusals.test_words_on_flink import error

GOLDEN: Final[Mapping[str, str | None]] = json.loads(Path(__file__).with_name("texts.json").read_text())["errors"]
MORE_THAN_FLINK: Final[Mapping[str, str]] = {
    "SELECT POSITION('a', s) FROM t": "The parser takes a comma for IN.",
    "SELECT id FROM t FETCH FIRST": "The parser takes it for FETCH FIRST ROW ONLY.",
    "SELECT NULL": "NULL has a type when it is written to a table.",
}
LESS_THAN_FLINK: Final[Mapping[str, str]] = {
    "SELECT 'a'\n'b' FROM t": "Texts are joined by ||.",
    "SELECT 1.5e": "The parser reads e as the beginning of an exponent.",
    "SELECT TIMESTAMP WITH LOCAL TIME ZONE '2024-01-01 10:20:30'": "Flink reads it by the clock of UTC, whatever the zone of the session, as CAST does not.",
    r"SELECT U&'\+000041'": r"Flink reads \+000 as a letter, and 041 as three.",
    "SELECT _UTF8'a'": "Texts have no character sets.",
    "SELECT _utf16'a'": "Texts have no character sets.",
    "SELECT e'a'": r"Letters by their numbers are written as U&'\000a'.",
}
PARSERS_WORDS: Final = re.compile(r"sqlglot|<class|Token|SENTINEL|cannot be read|Required keyword|NoneType")


@pytest.mark.parametrize("statement", GOLDEN)
def test_statements_are_refused_where_flink_refuses_them(statement: str) -> None:
    found = error(statement)
    refuses = GOLDEN[statement] is not None and statement not in MORE_THAN_FLINK
    assert (found is not None) is (refuses or statement in LESS_THAN_FLINK)
    if found is not None:
        assert re.match(r"line [12], column \d+", found.where)
        assert not PARSERS_WORDS.search(str(found))
        assert found.now or found.what.startswith("Expected ")


def test_all_statements_have_been_asked_and_all_reasons_hold() -> None:
    assert list(GOLDEN) == [*SYNTAX, *(f"SELECT {one}" for one in LITERALS)]
    assert all(GOLDEN[one] is not None for one in MORE_THAN_FLINK)
    assert all(GOLDEN[one] is None for one in LESS_THAN_FLINK)
