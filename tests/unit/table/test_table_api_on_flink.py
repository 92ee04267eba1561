"""Columns in the Table API, compared with those that real Flink gave (``tests/differential/table_api``)."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from kafkastream.errors import KafkastreamError, UnsupportedFeatureError
from tests.differential.table_api.cases import TABLES
from tests.differential.table_api.record import tables

GOLDEN: Final = json.loads(
    (Path(__file__).parents[2] / "differential" / "table_api" / "golden.json").read_text(encoding="utf-8")
)["cases"]
LACKING: Final = frozenset({"LOCATE", "LTRIM", "JSON_QUERY", "LOCALTIME", "TO_TIMESTAMP_LTZ", "RAND_INTEGER"})
"""Functions that SQL here lacks with some of their arguments."""
ALLOWED: Final = re.compile(r"\.(minus|minus_all|union|intersect|intersect_all)\(|\.at\(0\)")
"""What Flink refuses in the Table API, and takes in SQL: set operations of streams, and the element at 0, which is NULL."""


@cache
def names() -> dict[str, Any]:
    return tables("kafkastream", TABLES)


def ours(case: str) -> list[list[str]]:
    schema = eval(case, dict(names())).get_schema()
    return [list(pair) for pair in zip(schema.get_field_names(), map(str, schema.get_field_data_types()), strict=True)]


def plain(columns: list[list[str]]) -> list[tuple[str, str]]:
    """The columns, with types as far as SQL here has them: without lengths of texts, units of intervals and NOT NULL."""
    return [(name, _plain(kind)) for name, kind in columns]


def _plain(kind: str) -> str:
    kind = re.sub(r" NOT NULL|INTERVAL .*", lambda found: "INTERVAL" if found[0].startswith("I") else "", kind)
    return re.sub(r"`(f|EXPR\$)(\d+)`", r"\2", re.sub(r"\b(VAR)?CHAR\(\d+\)", "STRING", kind))


@pytest.mark.parametrize("case", [case for case, columns in GOLDEN.items() if isinstance(columns, list)])
def test_columns_are_those_of_flink(case: str) -> None:
    try:
        found = ours(case)
    except UnsupportedFeatureError:
        pytest.skip("refused with a reason")
    except KafkastreamError as error:
        if not any(name in error.where for name in LACKING):
            raise
        pytest.skip("lacking in SQL, too")
    assert plain(found) == plain(GOLDEN[case])


@pytest.mark.parametrize(
    "case",
    [
        case
        for case, found in GOLDEN.items()
        if isinstance(found, dict) and "is not defined" not in found["error"] and not ALLOWED.search(case)
    ],
)
def test_what_flink_refuses_is_refused(case: str) -> None:
    with pytest.raises(KafkastreamError):
        ours(case)
