"""The house's own rules: what imports what, what a module offers."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import kafkastream

ROOT = Path(kafkastream.__file__).parent.parent
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(kafkastream.__path__, "kafkastream.")
    if not module.name.endswith("__main__")
)
HEAVY = {"confluent_kafka", "pandas", "pyarrow", "pyspark"}


def constants_then_classes(name: str) -> tuple[bool, bool, str]:
    is_constant = name.isupper() and len(name) > 1
    return not is_constant, not name[0].isupper(), name


def test_import_is_light() -> None:
    doors = "kafkastream, kafkastream.common, kafkastream.datastream.connectors.kafka"
    program = f"import sys, {doors}; print(*sorted({HEAVY} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


def test_building_a_job_is_light() -> None:
    program = (
        "import sys; from kafkastream import StreamExecutionEnvironment as E;"
        "env = E.get_execution_environment(); env.from_elements(1).map(str).print(); env.get_execution_plan();"
        f"print(*sorted({HEAVY} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


@pytest.mark.parametrize("name", MODULES)
def test_what_a_module_offers_is_sorted_and_there(name: str) -> None:
    module = importlib.import_module(name)
    offered = getattr(module, "__all__", [])
    assert [one for one in offered if not hasattr(module, one)] == []
    assert sorted(offered, key=constants_then_classes) == list(offered)
    assert len(set(offered)) == len(offered)


@pytest.mark.parametrize("name", MODULES)
def test_every_module_says_what_it_is(name: str) -> None:
    doc = importlib.import_module(name).__doc__
    assert doc
    assert doc.splitlines()[0].strip()


def test_layers_hold() -> None:
    command = Path(sys.executable).with_name("lint-imports")
    run = subprocess.run([command, "--no-logo"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
    assert " 0 broken" in run.stdout
