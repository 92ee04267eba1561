"""Runs Flink's own Python examples on both engines, as they are: ``python -m tests.differential.examples PYTHON [EXAMPLE …]``.

PYTHON has apache-flink, which brings them along. They are compared by the lines that they print, in any order, without the
number of the subtask, with rows of the connector print in one style, and with what is left of rows that change. A broker listens
where they expect it, at localhost:9092. What reads without an end is ended when nothing more comes. Only for PyFlink a line is changed, that of the jars' path, which is none.
"""

from __future__ import annotations

import difflib
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Final

from rich.console import Console
from rich.table import Table

from kafkastream.testing import EmbeddedKafka
from tests.differential.golden import jars

EXAMPLES: Final = (
    "datastream/basic_operations.py",
    "datastream/event_time_timer.py",
    "datastream/process_json_data.py",
    "datastream/state_access.py",
    "datastream/word_count.py",
    "datastream/windowing/session_with_dynamic_gap_window.py",
    "datastream/windowing/session_with_gap_window.py",
    "datastream/windowing/sliding_time_window.py",
    "datastream/windowing/tumbling_count_window.py",
    "datastream/windowing/tumbling_time_window.py",
    "datastream/connectors/kafka_avro_format.py",
    "datastream/connectors/kafka_bytearray_format.py",
    "datastream/connectors/kafka_csv_format.py",
    "datastream/connectors/kafka_json_format.py",
    "table/basic_operations.py",
    "table/mixing_use_of_datastream_and_table.py",
    "table/multi_sink.py",
    "table/process_json_data.py",
    "table/process_json_data_with_udf.py",
    "table/word_count.py",
    "table/pandas/conversion_from_dataframe.py",
    "table/pandas/pandas_udaf.py",
    "table/windowing/over_window.py",
    "table/windowing/session_window.py",
    "table/windowing/sliding_window.py",
    "table/windowing/tumble_window.py",
)
RANDOM: Final = frozenset({"table/mixing_use_of_datastream_and_table.py", "table/pandas/conversion_from_dataframe.py"})
"""Examples with random values, of which only the number of lines can be compared."""
TOPICS: Final = ("test_avro_topic", "test_bytearray_topic", "test_csv_topic", "test_json_topic")
QUIET_SECONDS: Final = 120
LOGGED: Final = re.compile(
    r"add_jars |job '|Using Any for|No module named google|\s*$|== |No available advice|[ :+|-]*[A-Z][A-Za-z]+\(|\d+ rows? in set"
)
"""Lines of the engines' own loggers, which the examples send to standard output, and plans, which are each engine's own."""
CONSOLE: Final = Console()


def main(python: str, names: Sequence[str]) -> None:
    found = subprocess.run(
        [python, "-c", "import pyflink; print(pyflink.__path__[0])"], check=True, capture_output=True, text=True
    )
    folder = Path(found.stdout.strip()) / "examples"
    scripts = {name: folder / name for name in names or EXAMPLES}
    with tempfile.TemporaryDirectory() as changed:
        flinks = _outputs([python], {name: _with_jars(path, Path(changed)) for name, path in scripts.items()})
    ours = _outputs([str(Path(sys.executable).with_name("kafkastream")), "run", "-q"], scripts)
    table = Table("example", "lines of PyFlink", "lines here", "")
    for name in scripts:
        same = "equal" if flinks[name] == ours[name] else "DIFFERENT"
        table.add_row(name, str(len(flinks[name])), str(len(ours[name])), same)
    CONSOLE.print(table)
    different = [name for name in scripts if flinks[name] != ours[name]]
    for name in different:
        lines = difflib.unified_diff(flinks[name], ours[name], "PyFlink", "here", lineterm="", n=0)
        CONSOLE.print(name, *lines, sep="\n", markup=False, soft_wrap=True)
    sys.exit(bool(different))


def _outputs(command: Sequence[str], scripts: Mapping[str, Path]) -> dict[str, list[str]]:
    """What each script prints, sorted, on a broker of this engine's own."""
    found = {}
    with EmbeddedKafka(port=9092) as kafka:
        for topic in TOPICS:
            kafka.create_topic(topic)
        for name, path in scripts.items():
            CONSOLE.print(Path(command[0]).name, name)
            printed = [line for line in _printed([*command, str(path)]) if not LOGGED.match(line)]
            found[name] = ["a line"] * len(printed) if name in RANDOM else _left(map(_plain, printed))
    return found


def _left(lines: Iterable[str]) -> list[str]:
    """The lines, sorted, with what is left of the changes of rows."""
    left: Counter[str] = Counter()
    for line in lines:
        change = re.match(r"(\| )?([+-])[IUD]", line)
        added = -1 if change and change[2] == "-" else 1
        left[f"{change[1] or ''}{line[change.end() :]}" if change else line] += added
    return sorted(left.elements())


def _plain(line: str) -> str:
    """A line without its subtask; a row in the style of the connector print that is the default here."""
    line = re.sub(r"^\d+> ", "", line)
    row = re.fullmatch(r"([+-][IUD])[\[(](.*)[\])]", line)
    if row is None:
        return line
    values = re.sub(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d(?:\.\d+)?)Z?", r"\1 \2", row[2])
    return f"{row[1]}({values.replace(', ', ',')})"


def _with_jars(script: Path, folder: Path) -> Path:
    """A copy of a script in a folder of its own, since names recur, with the paths of jars that exist."""
    paths = ", ".join(repr(Path(jar).as_uri()) for jar in jars())
    changed = Path(tempfile.mkdtemp(dir=folder)) / script.name
    changed.write_text(re.sub(r"add_jars\(.*?\)", f"add_jars({paths})", script.read_text(), flags=re.DOTALL))
    return changed


def _printed(command: Sequence[str]) -> list[str]:
    """The lines of a program; it is ended when it has printed some and no more come."""
    path = f"{Path(command[0]).parent}{os.pathsep}{os.environ['PATH']}"  # Flink starts its workers by the name python
    environment = {**os.environ, "TZ": "UTC", "PATH": path}
    lines: queue.Queue[str] = queue.Queue()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, start_new_session=True)
    assert process.stdout is not None
    reader = threading.Thread(target=_forward, args=(process.stdout, lines), daemon=True)
    reader.start()
    printed: list[str] = []
    since = time.monotonic()
    while process.poll() is None and time.monotonic() - since < QUIET_SECONDS:
        try:
            printed.append(lines.get(timeout=1))
            since = time.monotonic()
        except queue.Empty:
            continue
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    reader.join(10)
    while not lines.empty():
        printed.append(lines.get())
    return printed


def _forward(output: IO[str], lines: queue.Queue[str]) -> None:
    for line in output:
        lines.put(line.rstrip("\n"))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
