"""Faults that the tests on Spark must catch, each planted into a copy of the package.

``python -m tests.faults.planted [NAME …]`` plants each fault into a copy, runs its tests there, and prints how many failed
and how long they took. It ends with 1 if a fault was not caught. Without a fault, all of these tests must pass:
``python -m tests.faults.planted nothing``. ``--tests PATH …`` runs other tests, to see which of them catch a fault.

A test that moves from Spark to the test driver must not be the only one that catches one of these.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import attrs

__all__ = ["FAULTS", "Fault"]

ROOT: Final = Path(__file__).parents[2]
COPIED: Final = ("kafkastream", "tests", "docs", "examples", "pyproject.toml", "README.md")


@attrs.frozen
class Fault:
    """A fault in the package.

    Args:
        name: What goes wrong.
        file: File of the package in which it is planted.
        text: Text that occurs once in the file.
        replacement: Text that is put there.
        tests: Tests on Spark of which at least one fails.
    """

    name: str
    file: str
    text: str
    replacement: str
    tests: tuple[str, ...]

    def plant(self, root: Path) -> None:
        """Plant the fault into the copy of the package below a folder."""
        path = root / "kafkastream" / self.file
        content = path.read_text(encoding="utf-8")
        assert content.count(self.text) == 1, f"{self.name}: the text occurs {content.count(self.text)} times"
        path.write_text(content.replace(self.text, self.replacement), encoding="utf-8")


_AFTER_A_RESTART: Final = (
    "integration/test_keyed_process.py::test_buckets_that_share_a_partition_fail_the_job",  # the first job of a session
    "integration/test_keyed_process.py::test_state_and_timers_outlive_a_restart",  # waits 30 s for its records
)
_SCENARIOS: Final = "integration/test_scenarios.py"

FAULTS: Final = (
    Fault(
        "exchange: a key goes to another bucket from another partition",
        "spark/exchange/shuffle_messages.py",
        "            bucket = bucket_of(key, len(self.labels))\n",
        "            bucket = (bucket_of(key, len(self.labels)) + self._subtask) % len(self.labels)\n",
        _AFTER_A_RESTART,
    ),
    Fault(
        "exchange: the last message of a full batch is lost",
        "spark/exchange/shuffle_messages.py",
        "        columns = zip(*some, strict=True)\n",
        "        columns = zip(*(some[:-1] if len(some) == _AT_ONCE else some), strict=True)\n",
        ("integration/test_emitted_elements.py::test_graphs_of_functions_that_change_all_they_can_reach",),
    ),
    Fault(
        "state: the page that changed last is not written",
        "spark/exchange/map_backend.py",
        "        change_map(self._state, changes)\n",
        "        change_map(self._state, dict([*changes.items()][: len(changes) - 1 or 1]))\n",
        (_SCENARIOS,),
    ),
    Fault(
        "state: a page of which an entry changes, but not its length, stays as it was",
        "operators/state/state_pages.py",
        "        if stored == former:\n",
        '        if stored == former or len(stored or b"") == len(former or b""):\n',
        _AFTER_A_RESTART,
    ),
    Fault(
        "watermarks: an idle input holds back the others",
        "spark/plan/watermark_valve.py",
        "        channel.is_idle, channel.is_aligned = True, False\n",
        "        channel.is_idle = True\n",
        (_SCENARIOS,),
    ),
    Fault(
        "watermarks: one overtakes the elements before it",
        "spark/exchange/keyed_task.py",
        "        yield from self._take(arrived.before)\n"
        "        yield from self._advance({} if arrived.marks is None else arrived.marks.event_times, now)\n",
        "        yield from self._advance({} if arrived.marks is None else arrived.marks.event_times, now)\n"
        "        yield from self._take(arrived.before)\n",
        ("integration/test_windows.py::test_watermark_of_a_record_comes_before_the_next_record",),
    ),
    Fault(
        "watermarks: a restart forgets them",
        "spark/plan/watermark_service.py",
        '        seen, combined = content.get("seen", {}), content.get("combined", {})\n',
        "        seen, combined = {}, {}\n",
        _AFTER_A_RESTART,
    ),
    Fault(
        "timers: they fire in the next micro-batch again",
        "operators/state/timers.py",
        "                self._is_changed = True\n                yield timer\n",
        "                yield timer\n",
        (_SCENARIOS,),
    ),
    Fault(
        "restarts: the next micro-batch has the number of the last one",
        "spark/checkpoint/reader.py",
        "            return QueryState(query, completed + 1)\n",
        "            return QueryState(query, completed)\n",
        ("integration/test_exactly_once.py::test_job_cancelled_between_micro_batches_writes_what_is_new",),
    ),
    Fault(
        "restarts: state goes to the operator of the same name with another uid",
        "spark/checkpoint/operator_ids.py",
        "    names = distinct_names(slug(node.uid or node.name) for node in uids_first)\n",
        "    names = distinct_names(slug(node.name) for node in uids_first)\n",
        ("integration/test_keyed_process.py::test_state_that_a_changed_program_cannot_use_is_refused_or_let_go",),
    ),
    Fault(
        "sinks: a task that failed commits its transaction",
        "spark/worker/transactional_writer.py",
        '        """Discard the rest; the next attempt reads the marker on the brokers."""\n',
        '        """Discard the rest; the next attempt reads the marker on the brokers."""\n        self.publish()\n',
        (
            "integration/test_exactly_once.py::test_failed_batch_shows_nothing_and_is_written_once_later",
            "integration/test_dead_letters.py::test_letters_of_a_micro_batch_that_fails_are_taken_back",
        ),
    ),
    Fault(
        "sinks: a micro-batch that was written is written again",
        "spark/worker/transactional_writer.py",
        "        if self._done.batch > self._batch:\n",
        "        if self._done.batch > self._batch + 1:\n",
        ("integration/test_exactly_once.py::test_two_sinks_one_of_which_has_committed",),
    ),
    Fault(
        "sinks: the last header of a record is lost",
        "kafka/producer.py",
        "map(list, records.headers)",
        "(list(headers)[:-1] for headers in records.headers)",
        ("integration/test_job_records.py::test_keys_headers_and_tombstones_are_written",),
    ),
)
NOTHING: Final = Fault("nothing", "", "", "", tuple(sorted({test for fault in FAULTS for test in fault.tests})))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="begins of the names of faults; default: all of them")
    parser.add_argument("--tests", nargs="+", help="tests to run, below tests/, instead of those of the faults")
    arguments = parser.parse_args()
    faults = [fault for fault in (*FAULTS, NOTHING) if any(fault.name.startswith(name) for name in arguments.names)]
    escaped = []
    for fault in faults or FAULTS:
        failed, took_s = failures(fault, arguments.tests or fault.tests)
        print(f"{fault.name}: {took_s:.0f} s", *failed, sep="\n    ", flush=True)  # noqa: T201
        if bool(failed) == (fault is NOTHING):
            escaped.append(fault.name)
    sys.exit("\n".join(f"not as it should be: {name}" for name in escaped))


def failures(fault: Fault, tests: Sequence[str]) -> tuple[list[str], float]:
    """Return the tests that fail with a fault, with their errors, and how many seconds the tests took."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name in COPIED:
            path = ROOT / name
            (shutil.copytree if path.is_dir() else shutil.copy)(path, root / name)
        if fault.file:
            fault.plant(root)
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-rfE",
            "--tb=no",
            "-m",
            "not nightly",
            "-p",
            "no:cacheprovider",
        ]
        began = time.monotonic()
        done = subprocess.run(
            [*command, *(f"tests/{test}" for test in tests)],
            cwd=root,
            env={**os.environ, "PYTHONPATH": folder, "COLUMNS": "250"},  # found before the installed package
            capture_output=True,
            text=True,
            check=False,
        )
        took_s = time.monotonic() - began
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return re.findall(r"^(?:FAILED|ERROR) tests/(.*)$", done.stdout, re.MULTILINE), took_s


if __name__ == "__main__":
    main()
