"""Programs that may not have as many files and sockets open as they want."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

JOB = """
import sys

from kafkastream import StreamExecutionEnvironment, Types
from kafkastream.spark.session.session import spark_session

env = StreamExecutionEnvironment.get_execution_environment().set_parallelism(2)
java = spark_session().sparkContext._jvm.java
files = []
try:
    while len(files) < 10_000:
        files.append(java.io.FileInputStream("/dev/null"))
except Exception:  # the JVM has reached its limit
    for file in files[-int(sys.argv[1]):]:
        file.close()
env.from_collection(["a", "b"], Types.STRING()).map(str.upper, Types.STRING()).print()
env.execute("limited")
"""


def run(folder: Path, limit: int, left: int) -> subprocess.CompletedProcess[str]:
    script = folder / "job.py"
    script.write_text(JOB)
    return subprocess.run(
        [sys.executable, script, str(left)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_limit_that_spark_cannot_live_with_is_refused_before_it_starts(tmp_path: Path) -> None:
    limited = run(tmp_path, limit=256, left=0)
    assert limited.returncode == 1
    assert "[setup] this program may have 256 files and sockets open, and Spark needs 512 at least" in limited.stderr
    assert "ulimit -n" in limited.stderr
    assert "Java" not in limited.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_job_that_reaches_the_limit_says_so(tmp_path: Path) -> None:
    limited = run(tmp_path, limit=600, left=2)
    assert limited.returncode == 1
    assert "[setup] too many files and sockets are open\n  at " in limited.stderr
    assert "  Raise the limit" in limited.stderr
    for foreign in ("java.", "org.apache", "chmod"):
        assert foreign not in limited.stderr
