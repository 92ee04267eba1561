"""What a job tells on standard error: to a terminal in place, elsewhere line by line with the time, or nothing."""

from __future__ import annotations

import logging
import os
import pty
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import attrs
import pytest

from kafkastream.metrics.standing import Standing
from kafkastream.model.common.watermark_strategy import WatermarkStrategy
from kafkastream.model.graph.job_graph import (
    CollectionSource,
    DiscardingSink,
    JobGraph,
    PrintSink,
    SinkNode,
    SourceNode,
)
from kafkastream.spark.job import job_lines
from kafkastream.spark.job.job_lines import JobLines, kept_in_place, page_of_command, run_by_command

STANDING = Standing(records=750, left=250)
TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[+-]\d{4} "
PAGE = "http://here:4040"
JOB_PAGE = "http://here:8081/"


@attrs.frozen
class Terminal:
    """A terminal as standard error, and what it shows."""

    stream: TextIO
    _shown: int

    def text(self) -> str:
        self.stream.write("\0")  # the end of what there is to read
        self.stream.flush()
        read = b""
        while not read.endswith(b"\0"):
            read += os.read(self._shown, 100_000)
        return read.decode().removesuffix("\0")


@contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch, columns: int = 120) -> Iterator[Terminal]:
    shown, written = pty.openpty()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", str(columns))
    with monkeypatch.context() as patch, os.fdopen(written, "w") as stream:
        patch.setattr(sys, "stderr", stream)  # not in a fixture: pytest sets its own before each test
        yield Terminal(stream, shown)
    os.close(shown)


@pytest.fixture
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_LONG_WORK_S", "_IN_PLACE_S", "_IN_LOG_S"):
        monkeypatch.setattr(job_lines, name, 0.01)


def graph(*sinks: PrintSink | DiscardingSink) -> JobGraph:
    source = SourceNode(id=1, name="in", source=CollectionSource(()), watermarks=WatermarkStrategy.no_watermarks())
    ends = (SinkNode(id=place, name="out", input=1, sink=sink) for place, sink in enumerate(sinks, 2))
    return JobGraph((source, *ends))


@attrs.define
class Shown:
    lines: JobLines

    def standing(self) -> Standing | None:
        return STANDING


def tell(progress: str = "auto") -> None:
    """All that a job tells in its life."""
    lines = JobLines.of("orders", graph(DiscardingSink()), progress)
    lines.started("topic orders → print", PAGE)
    time.sleep(0.02)
    lines.look(lambda: STANDING)
    lines.ended("has finished", lambda: Standing(records=1000, left=0))


@pytest.mark.usefixtures("hurry")
def test_log_has_start_progress_and_end_with_the_time(capsys: pytest.CaptureFixture[str]) -> None:
    tell("on")
    starts, progress, ended = capsys.readouterr().err.splitlines()
    assert re.fullmatch(TIME + f"job 'orders' starts: topic orders → print. Spark UI: {PAGE}", starts)
    assert re.match(TIME + r"job 'orders': 750 of 1,000 records \(75 %\), 750/s, about 0 s left", progress)
    assert re.fullmatch(TIME + "job 'orders' has finished after 0 s: 1,000 records", ended)


def test_short_work_has_but_a_start_line(capsys: pytest.CaptureFixture[str]) -> None:
    tell("on")
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.usefixtures("hurry")
@pytest.mark.parametrize(
    ("progress", "quiet", "is_told"),
    [
        ("auto", None, False),
        ("auto", False, True),
        ("auto", True, False),
        ("on", None, True),
        ("on", True, False),
        ("off", None, False),
        ("off", False, False),
    ],
)
def test_who_is_told(capsys: pytest.CaptureFixture[str], progress: str, quiet: bool | None, is_told: bool) -> None:
    if quiet is None:
        tell(progress)
    else:
        with run_by_command(quiet=quiet):
            tell(progress)
    assert (capsys.readouterr().err != "") == is_told


@pytest.mark.parametrize(
    ("progress", "expected"),
    [
        ("on", rf"job 'orders' starts: topic orders → print. Job page: {JOB_PAGE}. Spark UI: {PAGE}\n"),
        ("auto", rf"job 'orders' has a page: {JOB_PAGE}\n"),
        ("off", ""),
    ],
)
def test_the_address_of_a_job_page_is_told_unless_the_user_wants_no_lines(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, progress: str, expected: str
) -> None:
    caplog.set_level(logging.INFO, "kafkastream")
    JobLines.of("orders", graph(DiscardingSink()), progress).started("topic orders → print", PAGE, JOB_PAGE)
    assert re.fullmatch(f"({TIME}{expected})" if expected else "", capsys.readouterr().err)
    assert (JOB_PAGE in caplog.text) is (progress == "off")


def test_the_command_gives_jobs_a_page_unless_they_have_their_own() -> None:
    assert page_of_command({}) is None
    with run_by_command(quiet=False, ui=True):
        page = page_of_command({"rest.bind-address": "127.0.0.1"})
        assert page is not None
        assert (page.ports[0], page.bind_address, len(page.ports)) == (8081, "127.0.0.1", 101)
        with run_by_command(quiet=False):
            assert page_of_command({}) is None
    assert page_of_command({}) is None


@pytest.mark.usefixtures("hurry")
def test_terminal_is_told_without_the_time_and_progress_is_kept_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as screen:
        lines = JobLines.of("orders", graph(DiscardingSink()), "auto")
        lines.started("topic orders → print", None)
        assert screen.text() == "job 'orders' starts: topic orders → print\r\n"
        time.sleep(0.02)
        with kept_in_place([Shown(lines)]) as show:
            show()
            sys.stderr.write("of the program\n")
            time.sleep(0.02)
            show()
            lines.look(lambda: STANDING)
            lines.ended("has finished", lambda: STANDING)
        shown = screen.text()
    assert shown.count("750 of 1,000 records (75 %)") >= 2
    assert "of the program\r\n" in shown
    assert "job 'orders' has finished after 0 s: 750 records\r\n" in shown
    assert shown.rstrip("\x1b[?25h").endswith("\x1b[2K")  # erased at the end


@pytest.mark.usefixtures("hurry")
def test_narrow_terminal_keeps_to_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch, columns=30) as screen:
        lines = JobLines.of("orders", graph(DiscardingSink()), "auto")
        time.sleep(0.02)
        with kept_in_place([Shown(lines)]) as show:
            show()
            assert screen.text().endswith("job 'orders': 750 of 1,000 re…")


@pytest.mark.usefixtures("hurry")
def test_nothing_is_kept_in_place_where_the_job_itself_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as screen:
        lines = JobLines.of("orders", graph(PrintSink(to_err=True)), "auto")
        time.sleep(0.02)
        with kept_in_place([Shown(lines)]) as show:
            show()
        assert screen.text() == ""


def test_closed_standard_error_is_no_reason_to_fail(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with (tmp_path / "log").open("w") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
    tell("on")
