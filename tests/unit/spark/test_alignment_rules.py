"""Watermark alignment where Spark is built otherwise; tests/integration/test_watermark_alignment.py has it at work."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from kafkastream.spark.plan.watermark_alignment import align


def test_another_spark_is_told_once_and_the_job_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    session: Any = object()
    with caplog.at_level(logging.WARNING, "kafkastream"):
        align(session, "query", [1, 2], dict)
    (record,) = caplog.records
    assert "watermark alignment has no effect" in record.getMessage()
