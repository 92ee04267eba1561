"""A fresh environment, made by ``pip install .`` alone, has the newest Spark of the range: ``make newest``."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from kafkastream.testing import KafkaBroker
from kafkastream.testing.pytest_plugin import NewTopic
from tests.release.pythons import users_environment
from tests.release.readmes_job import readmes_job
from tests.smoke.jobs import PROBES, ROUNDS

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-newest" / "bin" / "python"


@pytest.fixture
def environment() -> Mapping[str, str]:
    """The variables of a user who has never heard of this checkout."""
    if not PYTHON.exists():
        if os.environ.get("CI"):
            pytest.fail("there is no .venv-newest: make newest")
        pytest.skip("there is no .venv-newest: make newest")
    return users_environment()


@pytest.mark.timeout(300)
def test_plain_install_runs_jobs_of_each_kind_and_the_internals_work(
    environment: Mapping[str, str], kafka: KafkaBroker, new_topic: NewTopic, tmp_path: Path
) -> None:
    """In one JVM: undocumented names of the newest Spark are the ones that ``probes.py`` calls."""
    lines, numbers, counts, probed = (new_topic() for _ in range(4))
    kafka.produce(lines, ["hello world"])
    kafka.produce(probed, ["a"])
    readme = tmp_path / "job.py"
    readme.write_text(readmes_job(kafka.bootstrap_servers, lines))
    script, servers = Path(__file__).with_name("jobs.py"), kafka.bootstrap_servers
    run = subprocess.run(
        [PYTHON, script, servers, tmp_path, readme, numbers, counts, probed],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert (run.returncode, run.stdout.splitlines()[:2]) == (0, ["HELLO", "WORLD"]), run.stderr
    assert run.stdout.splitlines()[-1] == "failed:", run.stderr
    assert sorted((record.key, record.value) for record in kafka.consume(counts)) == [
        (name.encode(), b'{"n":"%s","many":%d}' % (name.encode(), ROUNDS)) for name in ("a", "b")
    ]
    of_jobs = run.stderr.partition(f"{PROBES}\n")[0].splitlines()
    assert set(of_jobs) <= {"Fetching the connector jars (once per machine)", *remarks(run.stderr)}


def remarks(errors: str) -> list[str]:
    return re.findall(r"Spark \S+ gets the Kafka connector \S+, the nearest available version\.", errors)
