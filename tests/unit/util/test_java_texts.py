"""Texts, as Java prints values."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from kafkastream.common import Duration, Row, RowKind
from kafkastream.util.java_values import java_rounded, java_text, java_zoned_text

UTC = timezone.utc


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (datetime(2024, 5, 1, 10, tzinfo=UTC), "2024-05-01T10:00:00Z"),
        (datetime(2024, 5, 1, 10, 0, 0, 250_000, tzinfo=UTC), "2024-05-01T10:00:00.250Z"),
        (datetime(2024, 5, 1, 10, 0, 6, 1, tzinfo=UTC), "2024-05-01T10:00:06.000001Z"),
        (datetime(2024, 5, 1, 10, tzinfo=UTC).replace(tzinfo=None), "2024-05-01T10:00"),
        (datetime(2024, 5, 1, 10, 0, 7, tzinfo=UTC).replace(tzinfo=None), "2024-05-01T10:00:07"),
        (datetime(2024, 5, 1, 10, tzinfo=ZoneInfo("Europe/Rome")), "2024-05-01T10:00+02:00[Europe/Rome]"),
        (Duration.of_seconds(9000), "PT2H30M"),
        (Duration.of_millis(2_730_500), "PT45M30.5S"),
        (Duration.of_millis(-500), "PT-0.5S"),
        (Duration.ZERO, "PT0S"),
        ((None, True, ["a", 1.0], {"k": None}), "(null,true,[a, 1.0],{k=null})"),
        (Row.of_kind(RowKind.UPDATE_AFTER, 1, None, 2e7), "+U[1, null, 2.0E7]"),
    ],
)
def test_values_are_printed_as_by_java(value: Any, text: str) -> None:
    assert java_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),  # those of Java 17
    [
        (0.125, "0.13|0|0.125000"),
        (2.5, "2.50|3|2.500000"),
        (-0.001, "-0.00|-0|-0.001000"),
        (2.675, "2.68|3|2.675000"),
        (9.995, "10.00|10|9.995000"),
        (Decimal("0.045"), "0.05|0|0.045000"),
        (float("nan"), "NaN|NaN|NaN"),
        (float("inf"), "Infinity|Infinity|Infinity"),
    ],
)
def test_numbers_are_rounded_as_by_java(value: float, text: str) -> None:
    assert f"{java_rounded(value, 2):.2f}|{java_rounded(value, 0):.0f}|{java_rounded(value, 6):.6f}" == text


def test_times_are_converted_to_a_zone() -> None:
    rome = datetime(2024, 5, 1, 10, tzinfo=ZoneInfo("Europe/Rome"))
    assert java_zoned_text(rome, "UTC") == "2024-05-01T08:00Z[UTC]"
    assert java_zoned_text(rome, "Z") == "2024-05-01T08:00Z"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (datetime(2024, 5, 1, 10, tzinfo=UTC), "2024-05-01T10:00Z"),
        (datetime(2024, 5, 1, 10, 0, 0, 5000, tzinfo=UTC), "2024-05-01T10:00:00.005Z"),
        (datetime(2024, 5, 1, 10, tzinfo=timezone(-timedelta(hours=3, minutes=30))), "2024-05-01T10:00-03:30"),
    ],
)
def test_times_with_a_zone_have_no_seconds_that_are_zero(value: datetime | None, text: str) -> None:
    assert java_zoned_text(value) == text
