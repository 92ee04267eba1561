"""The architecture: what imports what, what a module offers, and that packages have maps."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Final

from tests.conftest import LONG
from tests.package import MODULES, ROOT, trees

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


def test_what_modules_offer_is_sorted_and_there() -> None:
    offered = {name: list(getattr(importlib.import_module(name), "__all__", [])) for name in MODULES}
    absent = {name: [one for one in names if not hasattr(sys.modules[name], one)] for name, names in offered.items()}
    assert {name: names for name, names in absent.items() if names} == {}
    expected = {name: sorted(set(names), key=constants_then_classes) for name, names in offered.items()}
    assert {name: names for name, names in offered.items() if names != expected[name]} == {}


def test_every_module_says_what_it_is() -> None:
    first_lines = {name: (importlib.import_module(name).__doc__ or "").partition("\n")[0] for name in MODULES}
    assert [name for name, line in first_lines.items() if not line.strip()] == []


def test_packages_of_many_modules_have_a_map() -> None:
    """The docstring of a package says what is in it and where to begin."""
    folders = Counter(str(Path(path).parent) for path in trees())
    lines = {
        folder: (ast.get_docstring(trees()[f"{folder}/__init__.py"]) or "").splitlines()
        for folder, modules in folders.items()
        if modules > _MODULES_WITHOUT_MAP and f"{folder}/__init__.py" in trees()
    }
    assert [folder for folder, doc in lines.items() if len(doc) < _MAP_LINES and folder not in _PYFLINK_PATHS] == []


def test_layers_hold() -> None:
    command = Path(sys.executable).with_name("lint-imports")
    run = subprocess.run([command, "--no-logo"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
    assert " 0 broken" in run.stdout


_MODULES_WITHOUT_MAP: Final = 9
_MAP_LINES: Final = 4
_PYFLINK_PATHS: Final = frozenset({"kafkastream/datastream/connectors"})


def test_long_tests_are_there() -> None:
    assert [name for name in sorted(LONG) if not (ROOT / "tests" / name).is_file()] == []
