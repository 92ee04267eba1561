"""Python processes of Spark, forked from one that has imported what they need."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest

from kafkastream.spark.session import fork_client
from kafkastream.spark.session.forked_python import (
    ForkedPython,
    fork_processes,
    interpreter_of_workers,
    is_own_python,
    renew_program,
)
from kafkastream.testing import wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")

_LIMIT_S: Final = 60.0
_PROBE: Final = """\
import os, signal, sys
print(sys.argv[1:], os.getcwd(), os.environ["PROBE"], "pandas" in sys.modules, sys.stdin.read(), flush=True)
if sys.argv[1] == "fail":
    raise ValueError("no good")
if sys.argv[1] == "wait":
    print(os.getpid(), flush=True)
    signal.pause()
if sys.argv[1] == "end by itself":  # as the daemon of workers does
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))
    print(os.getpid(), flush=True)
    signal.pause()
sys.exit(7)
"""


@pytest.fixture(scope="module")
def forked() -> Iterator[ForkedPython]:
    created = ForkedPython.create(os.environ)
    yield created
    created.close()


@pytest.fixture
def probe(tmp_path: Path) -> Path:
    (tmp_path / "probe.py").write_text(_PROBE)
    return tmp_path


def _start(forked: ForkedPython, probe: Path, word: str) -> subprocess.Popen[str]:
    """Start the probe as the program starts a module of Spark's."""
    client = [sys.executable, "-I", "-S", str(fork_client.__file__), str(forked.program.with_name("socket"))]
    return subprocess.Popen(
        [*client, sys.executable, "-m", "probe", word, "two words"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=probe,
        env={**os.environ, "PYTHONPATH": str(probe), "PROBE": "given later"},
    )


def _await_end(process: int) -> None:
    wait_until(lambda: _is_gone(process), _LIMIT_S, "the end of the process")


def _is_gone(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_a_forked_process_has_the_arguments_and_environment_of_its_client(forked: ForkedPython, probe: Path) -> None:
    with _start(forked, probe, "one") as client:
        out, errors = client.communicate("input", timeout=_LIMIT_S)
    assert out == f"['one', 'two words'] {probe} given later True input\n"
    assert errors == ""
    assert client.returncode == 7


def test_an_error_looks_as_in_a_process_of_its_own(forked: ForkedPython, probe: Path) -> None:
    with _start(forked, probe, "fail") as client:
        _, errors = client.communicate("", timeout=_LIMIT_S)
    assert client.returncode == 1
    assert errors.endswith("ValueError: no good\n")
    assert "fork_server" not in errors


@pytest.mark.parametrize("word", ["wait", "end by itself"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_process_ends_with_its_client(forked: ForkedPython, probe: Path, number: signal.Signals, word: str) -> None:
    with _start(forked, probe, word) as client:
        assert client.stdin is not None
        assert client.stdout is not None
        assert client.stderr is not None
        client.stdin.close()
        client.stdout.readline()
        process = int(client.stdout.readline())
        assert not _is_gone(process)
        client.send_signal(number)
        _await_end(process)
        assert client.stderr.read() == ""


def test_without_the_process_to_fork_from_a_module_runs_in_a_new_python(probe: Path) -> None:
    lost = ForkedPython.create(os.environ)
    with _start(lost, probe, "one") as client:
        client.communicate("", timeout=_LIMIT_S)
    assert lost.process is not None
    os.kill(lost.process, signal.SIGKILL)
    _await_end(lost.process)
    with _start(lost, probe, "one") as client:
        out, _ = client.communicate("input", timeout=_LIMIT_S)
    lost.close()
    assert out == f"['one', 'two words'] {probe} given later False input\n"
    assert client.returncode == 7


def test_if_the_process_to_fork_from_does_not_start_a_module_runs_in_a_new_python(probe: Path) -> None:
    no_library = {"PYTHONHOME": str(probe), "PYTHONPATH": ""}  # a session in this process puts all paths in the latter
    broken = ForkedPython.create({**os.environ, **no_library})
    with _start(broken, probe, "one") as client:
        out, _ = client.communicate("input", timeout=_LIMIT_S)
    broken.close()
    assert out == f"['one', 'two words'] {probe} given later False input\n"
    assert client.returncode == 7


def test_the_program_stays_when_a_process_forked_from_its_creator_ends(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        "import os, sys\n"
        "from kafkastream.spark.session.forked_python import ForkedPython\n"
        "one = ForkedPython.create(os.environ)\n"
        "if not os.fork():\n"
        "    sys.exit()\n"
        "os.wait()\n"
        "print(one.program, one.program.exists())\n"
    )
    program, exists = subprocess.check_output([sys.executable, script], text=True).split()
    assert exists == "True"
    assert not Path(program).parent.exists()


def test_a_program_that_was_deleted_is_created_again() -> None:
    context: Any = SimpleNamespace(pythonExec=sys.executable, environment={})  # the two attributes of Spark's
    fork_processes(context)
    first = Path(context.pythonExec)
    assert interpreter_of_workers(context) == sys.executable
    renew_program(context)
    assert context.pythonExec == str(first)
    shutil.rmtree(first.parent)
    renew_program(context)
    second = Path(context.pythonExec)
    assert second != first
    assert subprocess.run([second, "-m", "platform"], check=True, capture_output=True).stdout.startswith(b"Linux")
    assert interpreter_of_workers(context) == sys.executable


def test_another_python_of_workers_stays() -> None:
    context: Any = SimpleNamespace(pythonExec="/usr/bin/another", environment={})
    fork_processes(context)
    renew_program(context)
    assert context.pythonExec == interpreter_of_workers(context) == "/usr/bin/another"


def test_links_lead_to_the_programs_python(tmp_path: Path) -> None:
    link, further, other = (tmp_path / name for name in ("link", "further", "other"))
    link.symlink_to(sys.executable)
    further.symlink_to("link")
    other.symlink_to("/bin/sh")
    context: Any = SimpleNamespace(pythonExec=str(further), environment={})
    fork_processes(context)
    assert interpreter_of_workers(context) == sys.executable
    own = [str(Path(sys.executable).with_name("python3")), sys.executable, str(link)]
    assert [is_own_python(path) for path in (*own, str(other), "/nowhere/python")] == [True] * 3 + [False] * 2


def test_other_modules_run_in_a_new_python(forked: ForkedPython) -> None:
    found = subprocess.run([forked.program, "-m", "platform"], capture_output=True, text=True, check=True)
    assert found.stdout.startswith("Linux")


def test_the_process_to_fork_from_ends_with_the_program(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        "import os, signal, subprocess\n"
        "from kafkastream.spark.session.forked_python import ForkedPython\n"
        "one = ForkedPython.create(os.environ)\n"
        "with subprocess.Popen([one.program, '-m', 'pyspark.daemon'], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as it:\n"
        "    it.stdout.read(4)\n"
        "    print(one.process, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    _await_end(int(done.stdout))
