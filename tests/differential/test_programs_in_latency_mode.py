"""Programs that can run in latency mode give there what they give on real PyFlink."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.differential.alias import pyflink_alias
from tests.differential.differing import EVIDENCE
from tests.differential.ours import run_bounded, runs_in_latency_mode
from tests.differential.program import MODULES, programs
from tests.differential.test_differential import GOLDEN, compared

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kafkastream.testing import KafkaBroker


@pytest.mark.timeout(400)
def test_programs_give_in_latency_mode_what_flink_gives(kafka: KafkaBroker, spark: SparkSession) -> None:
    with pyflink_alias():
        every = (one for module in MODULES for one in programs(module) if str(one) not in EVIDENCE)
        able = [one for one in every if runs_in_latency_mode(one)]
        found = run_bounded(able, kafka, in_latency_mode=True)
        expected = {str(one): compared(one, GOLDEN[str(one)]) for one in able}
        assert {str(one): compared(one, found[str(one)]) for one in able} == expected
    assert len(able) >= 5
