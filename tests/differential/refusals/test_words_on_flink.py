"""Words that real Flink reserves are refused as names, and others are taken, in each place of a statement."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from kafkastream.errors import DefinitionError, KafkastreamError
from kafkastream.sql.plan.planning_catalog import ResolvedTable, View
from kafkastream.sql.planner.query_planner import plan_query
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.sql.syntax.parser import parse_one
from kafkastream.sql.syntax.reserved_words import RESERVED, TYPE_WORDS
from kafkastream.sql.syntax.statements import Insert, Query
from tests.differential.refusals.refusal_cases import COLUMNS, PLACES
from tests.unit.sql.planning import TestCatalog, table

GOLDEN: Final[Mapping[str, Any]] = json.loads(Path(__file__).with_name("words.json").read_text())
WORDS: Final = GOLDEN["words"].split()
REFUSED: Final[Mapping[str, frozenset[str]]] = {
    place: frozenset(words.split()) for place, words in GOLDEN["refused"].items()
}
_CLAUSES: Final = frozenset({"CONSTRAINT", "PRIMARY", "UNIQUE", "WATERMARK"})
"""Words that begin other elements of a table."""


class Catalog(TestCatalog):
    """Table ``t`` of the cases."""

    def table(self, path: tuple[str, ...]) -> ResolvedTable | View | None:
        return table("t", "; ".join(COLUMNS)) if path == ("t",) else None


def error(statement: str) -> KafkastreamError | None:
    """Return the error of a statement, which is parsed, and planned if it is a query."""
    try:
        parsed = parse_one(statement)
        if isinstance(parsed, Query | Insert):
            plan_query(parsed.query, Catalog(), zone="UTC")
    except KafkastreamError as found:
        return found
    return None


def test_reserved_words_are_those_of_flink() -> None:
    assert REFUSED["alias"] == RESERVED
    assert REFUSED["type"] == TYPE_WORDS


def is_told(place: str, word: str) -> bool:
    """Whether a word is refused with its line and column, and with backticks where it is surely meant as a name."""
    found = error(PLACES[place].replace("%", word))
    if found is None or "line 1, column" not in found.where:
        return False
    is_clause = place.startswith("plain") or (place == "column" and word in _CLAUSES)
    return f"`{word}`" in found.now or (is_clause and word in f"{found.what} {found.where}")


@pytest.mark.parametrize("place", PLACES)
def test_reserved_words_are_refused_as_names(place: str) -> None:
    assert [word for word in sorted(REFUSED[place]) if not is_told(place, word)] == []


@pytest.mark.parametrize("place", PLACES)
def test_other_words_are_names(place: str) -> None:
    others = sorted(set(WORDS) - RESERVED)
    assert [word for word in others if error(PLACES[place].replace("%", word))] == []


@pytest.mark.parametrize("place", PLACES)
def test_all_words_are_names_in_backticks(place: str) -> None:
    statement = PLACES[place].replace("`%`", "%")
    assert [word for word in sorted(RESERVED) if error(statement.replace("%", f"`{word}`"))] == []


def test_fields_of_a_type_in_python() -> None:
    for word in WORDS:
        if word in TYPE_WORDS:
            with pytest.raises(DefinitionError, match=word):
                parse_type(f"ROW<{word} INT>")
        else:
            assert parse_type(f"ROW<{word} INT>").fields[0].name == word
