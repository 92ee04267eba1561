"""Programs in PyFlink's words give here what they give on real PyFlink, of which ``golden`` is the record."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.differential.alias import pyflink_alias
from tests.differential.differing import BREAKING, EVIDENCE, OWED, UNRECORDED
from tests.differential.ours import Found, failure, run_bounded, run_stepped
from tests.differential.program import MODULES, Program, by_key, programs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kafkastream.testing import KafkaBroker

pytestmark = pytest.mark.timeout(400)  # the first test waits for all programs

GOLDEN: Mapping[str, Any] = {
    f"{path.stem}.{name}": found
    for path in Path(__file__).parent.glob("golden/*.json")
    for name, found in json.loads(path.read_text())["programs"].items()
}


def _marked(name: str) -> Any:
    if name in BREAKING:
        return pytest.param(name, marks=pytest.mark.skip(reason=BREAKING[name]))
    reason = {**OWED, **EVIDENCE}.get(name)
    return pytest.param(name, marks=[] if reason is None else pytest.mark.xfail(reason=reason))


@pytest.fixture(scope="module")
def known() -> Iterator[Mapping[str, Program]]:
    """All programs, by module and name."""
    with pyflink_alias():
        yield {str(one): one for module in MODULES for one in programs(module)}


@pytest.fixture(scope="module")
def found(known: Mapping[str, Program], kafka: KafkaBroker, spark: SparkSession) -> Mapping[str, Found]:
    """What all programs gave here, by module and name."""
    recorded = [one for name, one in known.items() if name in GOLDEN and name not in BREAKING]
    able = [one for one in recorded if "error" not in GOLDEN[str(one)]]
    bounded = run_bounded([one for one in able if not one.steps], kafka)
    stepped = run_stepped([one for one in able if one.steps], GOLDEN, kafka, spark)
    failed = {str(one): failure(one, kafka) for one in recorded if "error" in GOLDEN[str(one)]}
    return {**bounded, **stepped, **failed}


@pytest.mark.parametrize("name", [_marked(name) for name in sorted(GOLDEN)])
def test_program_gives_what_flink_gives(name: str, known: Mapping[str, Program], found: Mapping[str, Found]) -> None:
    assert compared(known[name], found[name]) == compared(known[name], GOLDEN[name])


def test_all_programs_have_run_on_flink(known: Mapping[str, Program]) -> None:
    assert set(known) ^ set(GOLDEN) == UNRECORDED


def test_evidence_is_told() -> None:
    page = (Path(__file__).parents[2] / "docs/porting/where-pyflink-differs.md").read_text()
    assert [name for name in EVIDENCE if f"`{name}`" not in page] == []


def compared(program: Program, found: Any) -> Any:
    """What was found, with lines as they are compared."""
    match found:
        case {"error": _}:
            return "fails"
        case dict():
            return {name: compared(program, one) for name, one in found.items()}
        case list() if found and isinstance(found[0], dict):
            return [compared(program, one) for one in found]
        case list():
            return by_key(found, program.order)
    return found
