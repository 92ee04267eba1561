"""The README's commands, from top to bottom in a fresh checkout."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from kafkastream.testing.launch import free_ports
from tests.package import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
PRINTED = ["HELLO", "WORLD"]
TIMEOUT_S = 600


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The files of a clone of this working tree."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    for name in listed.stdout.splitlines():
        if (ROOT / name).exists():  # else it is deleted in the working tree
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def block(heading: str, language: str) -> str:
    """Return the first block of a language below a heading."""
    code = re.search(rf"^#+ {heading}$.*?^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    assert code
    return code[1]


def test_example_is_the_readmes_job() -> None:
    example = (ROOT / "examples" / "print_words.py").read_text(encoding="utf-8")
    assert example.rpartition('"""\n\n')[2] == block("A job", "python")


@pytest.mark.own_python
def test_commands_run_in_order_in_a_fresh_checkout(java: Path, checkout: Path) -> None:
    """Only the port differs, which may be in use on a machine of developers.

    pip finds the packages of this environment installed already, so nothing is downloaded.
    """
    port = str(free_ports(["broker"])["broker"])
    for path in [*checkout.rglob("*.py"), *checkout.rglob("*.sql"), *checkout.rglob("*.yaml")]:
        path.write_text(
            path.read_text(encoding="utf-8").replace("localhost:9092", f"localhost:{port}"), encoding="utf-8"
        )
    environment = {
        **{name: value for name, value in os.environ.items() if name not in {"PYSPARK_PYTHON", "VIRTUAL_ENV"}},
        "PYTHONPATH": sysconfig.get_path("purelib"),
        "PIP_NO_BUILD_ISOLATION": "0",  # 0 switches the isolation off: https://github.com/pypa/pip/issues/5735
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    }
    done = subprocess.run(
        ["bash", "-ec", block("Run it", "bash").replace("--port 9092", f"--port {port}")],
        cwd=checkout,
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line for line in lines if line in PRINTED] == 3 * PRINTED
    rows = [re.split(r"\s*\|\s*", line)[1:-1] for line in lines if line.startswith("| +I")]
    assert sorted(rows) == [
        ["+I", "2", "bob", "20.5"],
        ["+I", "3", "ann", "30.0"],
        ["+I", "ann", "2024-05-01 10:00:00.000", "2", "40.00"],
        ["+I", "bob", "2024-05-01 10:00:00.000", "1", "20.50"],
        ["+I", "cid", "2024-05-01 10:02:00.000", "1", "5.00"],
    ]
