"""The scenarios of event time that Spark could break, on Spark."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import pytest

from tests.integration.scenario_table import SCENARIOS
from tests.integration.scenarios import Found, Scenario, difference, run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kafkastream.testing import KafkaBroker

pytestmark = pytest.mark.timeout(400)  # the first test waits for all scenarios

ON_SPARK: Final = tuple(scenario for scenario in SCENARIOS if scenario.on_spark)


@pytest.fixture(scope="module")
def found(kafka: KafkaBroker, spark: SparkSession) -> Mapping[str, Found]:
    return run(ON_SPARK, kafka, spark)


@pytest.mark.parametrize("scenario", ON_SPARK, ids=str)
def test_scenario(scenario: Scenario, found: Mapping[str, Found]) -> None:
    differing = difference(scenario, found[scenario.name])
    if differing:
        pytest.fail(differing, pytrace=False)
