"""Windows of the Table API that count rows, compared with those of real Flink (``tests/differential/table_api``)."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest
from pyspark.sql import SparkSession

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from tests.differential.table_api.cases import COUNTED, ROWS
from tests.differential.table_api.record import rows, tables, with_rows

GOLDEN: Final = json.loads(
    (Path(__file__).parents[1] / "differential" / "table_api" / "golden.json").read_text(encoding="utf-8")
)["counted"]
OF_CHANGES: Final = [case for case in COUNTED if case.startswith("sums.")]
"""Operations on rows that change: how often they do depends on the micro-batches here."""


@pytest.fixture(scope="module")
def names(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return with_rows(tables("kafkastream", ()), ROWS, str(tmp_path_factory.mktemp("rows")))


def test_all_cases_are_recorded() -> None:
    assert list(GOLDEN) == list(COUNTED)


@pytest.mark.parametrize(
    "case", [case for case, found in GOLDEN.items() if isinstance(found, list) and case not in OF_CHANGES]
)
def test_rows_are_those_of_flink(case: str, names: dict[str, Any]) -> None:
    found = rows(case, names)
    assert Counter(map(tuple, found)) == Counter(map(tuple, GOLDEN[case]))


@pytest.mark.parametrize("case", [case for case, found in GOLDEN.items() if isinstance(found, dict)])
def test_what_flink_refuses_is_refused(case: str, names: dict[str, Any]) -> None:
    with pytest.raises(DefinitionError):
        eval(case, dict(names)).execute()


@pytest.mark.parametrize("case", OF_CHANGES)
def test_changes_are_not_counted(case: str, names: dict[str, Any]) -> None:
    with pytest.raises(UnsupportedFeatureError, match="needs an insert-only table"):
        eval(case, dict(names)).execute()
