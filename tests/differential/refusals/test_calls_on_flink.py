"""Calls of built-in functions take the types that real Flink takes, and show Flink's signatures where they do not."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from kafkastream.sql.plan.expression import TypedExpression
from kafkastream.sql.plan.functions import FUNCTIONS, call
from kafkastream.sql.plan.functions.built_in import CallError
from kafkastream.sql.plan.functions.signatures import SIGNATURES
from tests.differential.refusals.accepted import unpacked
from tests.differential.refusals.refusal_cases import COLUMNS, KINDS, NAMED
from tests.differential.refusals.test_words_on_flink import error
from tests.unit.sql.planning import compiled, table

GOLDEN: Final[Mapping[str, Any]] = json.loads(Path(__file__).with_name("calls.json").read_text())
FIELDS: Final = table("t", "; ".join(COLUMNS)).fields
ARGUMENTS: Final[Mapping[str, TypedExpression]] = {kind: compiled(one, FIELDS) for kind, one in KINDS.items()}
OUR_OWN: Final = frozenset({"LCASE", "UCASE"})
"""Functions that Flink 2.2 has in its Table API alone."""
CALLED: Final = [name for name in NAMED if name in FUNCTIONS and name not in OUR_OWN]
_NO_PRECISION: Final = "Flink's job fails with a precision."
_NO_DATE: Final = "Flink's job fails for a TIME."
_WRITTEN: Final = "Spark takes an argument that is written out alone."
_CUT: Final = "Flink cuts the time off a TIMESTAMP next to a DATE, and the date next to a TIME."
_UNCOMPARED: Final = "Flink's job fails for a TIMESTAMP with a DATE or a TIME, and for maps."
_NO_BIGINT: Final = "Flink's job fails for a BIGINT."
LESS_THAN_FLINK: Final[Mapping[str, str]] = {
    **dict.fromkeys(("CURRENT_TIME", "CURRENT_TIMESTAMP", "CURRENT_ROW_TIMESTAMP", "NOW"), _NO_PRECISION),
    **dict.fromkeys(("LOCALTIME", "LOCALTIMESTAMP"), _NO_PRECISION),
    **dict.fromkeys(("DAYOFMONTH", "DAYOFWEEK", "DAYOFYEAR", "MONTH", "QUARTER", "WEEK", "YEAR"), _NO_DATE),
    **dict.fromkeys(("PARSE_URL", "PRINTF", "REGEXP_EXTRACT", "REGEXP_EXTRACT_ALL", "ROUND"), _WRITTEN),
    **dict.fromkeys(("RAND", "RAND_INTEGER"), "A seed is written out here; Flink's job fails unless numbers are INT."),
    "TO_TIMESTAMP_LTZ": "Flink's job fails unless a number has 0 or 3 digits.",
    **dict.fromkeys(("COALESCE", "IFNULL"), _CUT),
    **dict.fromkeys(("GREATEST", "LEAST"), _UNCOMPARED),
    **dict.fromkeys(("INSTR", "LOCATE"), _NO_BIGINT),
    "ELT": "With a BIGINT, Flink's job fails for the numbers of arguments, and gives NULL for others.",
    "JSON_ARRAY": "Flink's job fails for a DATE, a TIME and an untyped NULL.",
    "JSON_STRING": "An untyped NULL has no JSON.",
    "NULLIF": "Flink's job fails for a text and a number; a text is not compared with a BOOLEAN here, and maps are not.",
}
"""Functions that take less than Flink's validator does, and why."""


def tuples(count: int) -> Iterator[str]:
    """Kinds of so many arguments."""
    return map("".join, itertools.product(KINDS, repeat=count))


def refusal(name: str, kinds: str) -> CallError | None:
    try:
        call(name, *(ARGUMENTS[kind] for kind in kinds))
    except CallError as found:
        return found
    return None


@pytest.mark.parametrize("count", range(3))
def test_what_flink_refuses_is_refused(count: int) -> None:
    wrong = {}
    for name in CALLED:
        accepted = unpacked(GOLDEN["accepted"].get(f"{name}/{count}", ""))
        if more := [kinds for kinds in tuples(count) if kinds not in accepted and refusal(name, kinds) is None]:
            wrong[name] = more
    assert wrong == {}


@pytest.mark.parametrize("count", range(4))
def test_what_flink_takes_is_taken_or_has_a_reason(count: int) -> None:
    for name in CALLED:
        for kinds in unpacked(GOLDEN["accepted"].get(f"{name}/{count}", "")):
            found = refusal(name, kinds)
            assert found is None or name in LESS_THAN_FLINK, (name, kinds, found.what)


def test_every_reason_is_one() -> None:
    for name in LESS_THAN_FLINK:
        calls = [unpacked(GOLDEN["accepted"].get(f"{name}/{count}", "")) for count in range(4)]
        assert any(refusal(name, kinds) for kinds in set().union(*calls)), name


def test_signatures_take_what_flink_takes() -> None:
    for name, signatures in SIGNATURES.items():
        for count in range(4):
            for kinds in unpacked(GOLDEN["accepted"].get(f"{name}/{count}", "")):
                arguments = [ARGUMENTS[kind] for kind in kinds]
                assert any(one.takes(arguments) for one in signatures), (name, kinds)


def test_an_error_has_the_place_and_the_signature() -> None:
    found = error("SELECT id, ROUND(s, 2) FROM t")
    assert found is not None
    assert "line 1, column 12" in found.where
    assert found.what == (
        "Cannot apply 'ROUND' to arguments of type 'ROUND(<STRING>, <INT NOT NULL>)'. "
        "Supported form(s): 'ROUND(<NUMERIC>)' 'ROUND(<NUMERIC>, <INTEGER>)'"
    )
    found = error("SELECT UPPER(s, s) FROM t")
    assert found is not None
    assert found.what == "Invalid number of arguments to function 'UPPER': 2. Supported form(s): 'UPPER(<CHARACTER>)'"
