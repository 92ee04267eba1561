"""What is looked at in a soak is what is there."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import psutil
import pytest
from rich.console import Console

from kafkastream.spark.internals.python import WORKER_DAEMON
from kafkastream.spark.session.forked_python import ForkedPython
from tests.soak.folder import Folder
from tests.soak.jobs import JOBS, LATENCY
from tests.soak.model import ORDER_MS, expected_results, expected_totals
from tests.soak.processes import _kind, _native, _used, held
from tests.soak.report import markdown, picture, table
from tests.soak.samples import Sample, kept, read
from tests.soak.verdict import verdicts

G1 = """21358:
 garbage-first heap   total 204800K, used 7168K [0x00000000f3800000, 0x0000000100000000)
  region size 1024K, 5 young (5120K), 2 survivors (2048K)
 Metaspace       used 8192K, committed 9088K, reserved 1114112K
  class space    used 1062K, committed 1152K, reserved 1048576K
"""
SERIAL = """21617:
 def new generation   total 61440K, used 2048K [0x00000000f3800000, 0x00000000f7aa0000, 0x00000000f7aa0000)
  eden space 54656K,  32% used [0x00000000f3800000, 0x00000000f4914c50, 0x00000000f6d60000)
 tenured generation   total 136576K, used 5120K [0x00000000f7aa0000, 0x0000000100000000, 0x0000000100000000)
   the space 136576K,   0% used [0x00000000f7aa0000, 0x00000000f7aa0000, 0x00000000f7aa0200, 0x0000000100000000)
 Metaspace       used 8192K, committed 9088K, reserved 1114112K
"""
NATIVE = """21358:
Total: reserved=1658698KB, committed=288768KB
       malloc: 13770KB #62409
-                 Java Heap (reserved=204800KB, committed=204800KB)
-                    Thread (reserved=21559KB, committed=927KB)
"""


@pytest.mark.parametrize("text", [G1, SERIAL], ids=["G1", "serial"])
def test_heap_is_read_whatever_collects_it(text: str) -> None:
    assert _used(text) == {"jvm heap after GC": 7.0, "jvm metaspace": 8.0}


def test_what_the_jvm_tracks_is_read() -> None:
    assert _native(NATIVE) == {"jvm tracked": 282.0, "jvm tracked: Java Heap": 200.0}
    assert _native("Native memory tracking is not enabled") == {}


def test_open_sockets_and_files_are_counted() -> None:
    """In a process of its own: clients that earlier tests have left close their sockets here at any time."""
    before, after = held_with(0), held_with(7)
    assert after["driver sockets"] - before["driver sockets"] == 7
    assert after["driver descriptors"] - before["driver descriptors"] == 7


def held_with(sockets: int) -> Mapping[str, float]:
    program = f"import socket; kept = [socket.socket() for _ in range({sockets})]; print(flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        found = held(process.pid)
        process.communicate(b"\n")
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")
def test_a_worker_is_told_from_the_daemon_that_it_is_forked_from() -> None:
    forked = ForkedPython.create(os.environ)
    command = (forked.program, "-m", WORKER_DAEMON, "pyspark.worker")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as client:
        assert client.stdin is not None
        assert client.stdout is not None
        (port,) = struct.unpack("!i", client.stdout.read(4))
        with socket.create_connection(("127.0.0.1", port)) as connection:
            (number,) = struct.unpack("!i", connection.recv(4))
            worker = psutil.Process(number)
            kinds = [_kind(one) for one in (worker, *worker.parents()[:2], psutil.Process(client.pid))]
        client.stdin.close()
    forked.close()
    assert kinds == ["workers", "helpers", "helpers", "helpers"]


def test_micro_batches_are_timed_by_their_files(tmp_path: Path) -> None:
    for name, moment in (("offsets", 100), ("commits", 103)):
        file = tmp_path / "job" / "query" / name / "0"
        file.parent.mkdir(parents=True)
        file.write_text("v1")
        os.utime(file, (moment, moment))
    folder = Folder(tmp_path)
    assert folder.queries_at_work() == 1
    assert folder.look()["micro-batch seconds"] == 3
    assert folder.look()["micro-batches"] == 0


def test_samples_are_reported_as_they_were_kept(tmp_path: Path) -> None:
    for minute in range(30):
        kept(tmp_path / "samples", Sample(60.0 * minute, {"jvm sockets": 40 + 9.0 * minute, "groups": 6}))
    found = verdicts(read(tmp_path / "samples"))
    assert "| jvm sockets | 40 | 215.5 | 301 | +540.0 | +540.0 | rises |" in markdown(found)
    assert "| groups | 6 | 6 | 6 | +0.0 | +0.0 | flat |" in markdown(found)
    with (tmp_path / "table").open("w") as file:
        Console(file=file, width=130).print(table(found))
    assert "RISES" in (tmp_path / "table").read_text()
    picture(found, tmp_path / "curves.svg")
    assert (tmp_path / "curves.svg").stat().st_size < 200_000


def test_each_order_counts_in_each_result_of_the_model() -> None:
    first_ms = 1_795_000_000_000
    lines = expected_results(5_000, first_ms)
    by_kind = {kind: [line.split() for line in lines if line.startswith(kind)] for kind in ("visit", "window")}
    assert set(lines.values()) == {1}
    assert sum(int(count) for *_, count in by_kind["visit"]) == 5_000
    amounts = sum(amount for _, amount in expected_totals(5_000).values())
    assert sum(int(amount) for *_, amount in by_kind["window"]) == amounts
    assert {int(start) for _, _, start, _ in by_kind["window"]} == {
        first_ms + 10_000 * window for window in range(5_000 * ORDER_MS // 10_000)
    }


def test_a_job_in_latency_mode_copies_each_order_and_has_no_totals() -> None:
    job = JOBS[LATENCY]
    assert job.lines(3, 1_795_000_000_000) == {"copy 0": 1, "copy 1": 1, "copy 2": 1}
    assert job.totals(3) == {}
