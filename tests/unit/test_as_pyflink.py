"""``import pyflink`` means kafkastream after ``import kafkastream.as_pyflink``; each program here is a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import kafkastream.as_pyflink
import sys
import pyflink.datastream.connectors.kafka as theirs
from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment, window

import kafkastream.datastream.connectors.kafka as ours
import kafkastream.datastream.window

assert theirs is ours and sys.modules["pyflink"] is sys.modules["kafkastream"]
assert window is kafkastream.datastream.window
assert ours.__spec__.name == ours.__name__ == "kafkastream.datastream.connectors.kafka"
env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1], Types.INT()).print()
print('"type": "Source: ' in env.get_execution_plan(), "pyspark" in sys.modules)
try:
    import pyflink.fn_execution
except ModuleNotFoundError as error:
    print(error, error.name)
"""

JAVA = """
import kafkastream.as_pyflink
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.java_gateway import get_gateway
from pyflink.util.exceptions import TableException
from pyflink.util.java_utils import get_j_env_configuration

def env():
    return StreamExecutionEnvironment.get_execution_environment()

for use in (get_gateway, lambda: get_j_env_configuration(None), lambda: env()._j_stream_execution_environment):
    try:
        use()
    except NotImplementedError as error:
        print(str(error).splitlines()[1:], issubclass(TableException, Exception))
"""


def run(program: str, *path: Path) -> subprocess.CompletedProcess[str]:
    before = f"import sys; sys.path[:0] = {list(map(str, path))!r}\n"
    return subprocess.run([sys.executable, "-c", before + program], capture_output=True, text=True, check=False)


def test_pyflink_is_kafkastream() -> None:
    done = run(PROGRAM)
    assert done.stdout == "True False\nNo module named 'pyflink.fn_execution' pyflink.fn_execution\n", done.stderr


def test_ways_into_the_jvm_are_refused_by_name() -> None:
    done = run(JAVA)
    lines = done.stdout.splitlines()
    assert len(lines) == 3, done.stderr
    named = ("java_gateway.get_gateway(…)", "java_utils.get_j_env_configuration(…)", "._j_stream_execution_environment")
    for line, name in zip(lines, named, strict=True):
        assert f"{name}'" in line
        assert "Configuration" in line


def test_installed_pyflink_is_seen(tmp_path: Path) -> None:
    asks = "from kafkastream.alias import has_pyflink; print(has_pyflink())"
    (tmp_path / "empty" / "pyflink").mkdir(parents=True)
    assert run(asks, tmp_path / "empty").stdout == "False\n"
    (tmp_path / "pyflink").mkdir()
    (tmp_path / "pyflink" / "__init__.py").write_text("")
    assert run(asks, tmp_path).stdout == "True\n"
    forced = "import kafkastream.as_pyflink, pyflink, kafkastream; print(pyflink is kafkastream)"
    assert run(forced, tmp_path).stdout == "True\n"
    late = run("import pyflink, kafkastream.as_pyflink", tmp_path)
    assert "[setup] pyflink has been imported already" in late.stderr
