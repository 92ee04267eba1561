"""Jobs on Spark's standalone cluster: executors are killed at work, and nightly have no Python but the one that is shipped."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kafkastream.spark.session.jars import connector_jars
from kafkastream.testing import KafkaBroker, Record, wait_until
from kafkastream.testing.pytest_plugin import NewTopic
from tests.cluster.shipping import driver_variables, submit_options
from tests.cluster.spark_cluster import SparkCluster

HERE = Path(__file__).parent
KEYS = ("ann", "bob", "cid", "dan", "eve")
ROUND = 200
PATIENCE_S = 180.0


@contextmanager
def submitted(
    cluster: SparkCluster, archive: Path | None, folder: Path, script: Path, *arguments: str
) -> Iterator[subprocess.Popen[bytes]]:
    """Yield a job by spark-submit, with a directory of its own; killed at the end."""
    submit = shutil.which("spark-submit", path=str(Path(sys.executable).parent))
    assert submit is not None
    jars = ",".join(map(str, connector_jars()))
    command = [submit, "--master", cluster.url, *submit_options(archive), "--jars", jars, str(script), *arguments]
    with (folder / "driver.log").open("wb") as log:
        driver = subprocess.Popen(
            command,
            cwd=folder,
            env=driver_variables(cluster, archive),
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield driver
    except BaseException:
        sys.stderr.write((folder / "driver.log").read_text()[-5000:])
        raise
    finally:
        os.killpg(driver.pid, signal.SIGKILL)
        driver.wait()


def produce_round(kafka: KafkaBroker, source: str, number: int) -> None:
    values = [f"{KEYS[place % len(KEYS)]} {number * ROUND + place}" for place in range(ROUND)]
    kafka.produce(source, [Record(value, partition=place % 2) for place, value in enumerate(values)])


def lines_in(kafka: KafkaBroker, target: str) -> list[list[str]]:
    return [(record.value or b"").decode().split() for record in kafka.consume(target)]


def await_lines(kafka: KafkaBroker, target: str, count: int) -> None:
    wait_until(lambda: len(lines_in(kafka, target)) >= count, PATIENCE_S, f"{count} lines")


def count_while_executors_die(
    cluster: SparkCluster, archive: Path | None, kafka: KafkaBroker, topics: tuple[str, str], folder: Path, kills: int
) -> tuple[list[float], set[str]]:
    """Run the counting job and kill executors at work; each element must count once.

    Returns:
        For how many seconds there were no records after each kill, and the environments of Python that counted.
    """
    (source, target), waits, last = topics, [], kills + 1
    given = [f"{key} {last * ROUND + place}" for place, key in enumerate(KEYS)]
    arguments = (kafka.bootstrap_servers, source, target, (folder / "checkpoints").as_uri(), ",".join(given))
    produce_round(kafka, source, 0)
    with submitted(cluster, archive, folder, HERE / "counting_job.py", *arguments):
        await_lines(kafka, target, ROUND + len(KEYS))
        for kill, executor in enumerate(cluster.executors()[:kills], 1):
            produce_round(kafka, source, kill)
            time.sleep(0.3)  # into the midst of the round, which takes 0.4 s of each executor
            before = len(lines_in(kafka, target))
            os.kill(executor, signal.SIGKILL)
            began = time.monotonic()
            await_lines(kafka, target, before + 1)
            waits.append(round(time.monotonic() - began, 1))
            await_lines(kafka, target, (kill + 1) * ROUND + len(KEYS))
        assert len(waits) == kills
    lines = lines_in(kafka, target)
    assert Counter(int(number) for _, number, _, _ in lines) == Counter(range(last * ROUND + len(KEYS)))
    counts = Counter((key, int(count)) for key, _, count, _ in lines)
    assert counts == Counter((key, count + 1) for key in KEYS for count in range(last * ROUND // len(KEYS) + 1))
    return waits, {prefix for *_, prefix in lines}


@pytest.mark.timeout(400)
def test_an_executor_killed_at_work_costs_no_record(
    cluster: SparkCluster, kafka: KafkaBroker, new_topic: NewTopic, tmp_path: Path
) -> None:
    topics = new_topic(partitions=2), new_topic()
    _, prefixes = count_while_executors_die(cluster, None, kafka, topics, tmp_path, kills=1)
    assert prefixes == {sys.prefix}


@pytest.mark.nightly
@pytest.mark.timeout(400)
def test_executors_killed_at_work_cost_no_record(
    cluster: SparkCluster,
    archive: Path,
    kafka: KafkaBroker,
    new_topic: NewTopic,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    topics = new_topic(partitions=2), new_topic()
    waits, prefixes = count_while_executors_die(cluster, archive, kafka, topics, tmp_path, kills=2)
    record_property("seconds without records", waits)
    assert len(prefixes) >= 3, "executors that were killed have others in their place"
    assert all(prefix.endswith("/env") and "/worker-" in prefix for prefix in prefixes)


@pytest.mark.nightly
@pytest.mark.timeout(400)
def test_what_a_job_on_a_cluster_is_refused_for(cluster: SparkCluster, archive: Path, tmp_path: Path) -> None:
    # Functions that travel with pytest's own assertions would want pytest on executors.
    plain = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--assert=plain"]
    tests = [*plain, str(HERE / "checks_on_cluster.py")]
    root = ("--rootdir", str(HERE.parents[1]), "-c", str(HERE.parents[1] / "pyproject.toml"))
    variables = {**driver_variables(cluster, archive), "PYTHONPATH": str(HERE.parents[1])}
    done = subprocess.run([*tests, *root], cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 passed" in done.stdout
    assert (tmp_path / "env" / "bin" / "python").exists(), "the driver could not start ./env/bin/python"
