"""Undocumented names of Spark work on the oldest of the range of versions; ``test_newest.py`` tries the newest."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkastream.testing import KafkaBroker
from tests.smoke import probes


@pytest.mark.usefixtures("spark")
def test_internals_work_on_this_spark(kafka: KafkaBroker, topic: str, tmp_path: Path) -> None:
    kafka.produce(topic, ["a"])
    assert probes.failures(kafka.bootstrap_servers, topic, tmp_path) == []
