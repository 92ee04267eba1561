"""Undocumented names of Spark work on the oldest of the range of versions; ``test_newest.py`` tries the newest."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

from kafkastream.testing import KafkaBroker
from tests.package import modules_of
from tests.smoke import probes


@pytest.mark.usefixtures("spark")
def test_internals_work_on_this_spark(kafka: KafkaBroker, topic: str, tmp_path: Path) -> None:
    kafka.produce(topic, ["a"])
    assert probes.failures(kafka.bootstrap_servers, topic, tmp_path) == []


def test_each_internal_has_a_probe() -> None:
    """Functions and constants; ``texts`` of errors come from where no probe can lead, and fail nothing when they change."""
    called = {
        node.attr for node in ast.walk(ast.parse(Path(probes.__file__).read_text())) if isinstance(node, ast.Attribute)
    }
    internals = set(modules_of("kafkastream.spark.internals")) - {"kafkastream.spark.internals.texts"}
    offered = {name for module in internals for name in importlib.import_module(module).__all__}
    assert offered - called == set()
