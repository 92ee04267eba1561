"""Text of records in errors, logs and tables: no control character of it reaches a terminal, no line of it begins a log's."""

from __future__ import annotations

import io
import logging
import sys
from typing import Any

import pytest
from rich.console import Console

from kafkastream.cli.titled_table import cell, titled_table
from kafkastream.errors import DeserializationError
from kafkastream.model.common.row import Row
from kafkastream.model.connectors.dead_letter_topics import DeadLetter, SourceRecord
from kafkastream.printable import one_line, printable
from kafkastream.spark.cdc.dirty_data import DirtyDataLogger
from kafkastream.spark.worker.batches import Batch
from kafkastream.sql.types import DataType
from kafkastream.table.table_result import TableResult

HOSTILE = "a\x1b[2J\x1b]0;owned\x07\r\n2026-01-01 ERROR job 'x' has failed\x9b31m\u202e\u2028z"
CONTROL = {chr(code) for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, 0x202E)} - {"\n", "\t"}


def test_text_keeps_what_is_no_control_character() -> None:
    plain = "Größe 订单 \N{GRINNING FACE}\ttab\nline, עברית"
    assert printable(plain) == plain
    assert printable("\ud800\0\x85") == r"\ud800\x00\x85"
    assert one_line("a\nb") == r"a\nb"


def test_error_is_printable_and_its_further_lines_are_indented() -> None:
    text = str(DeserializationError(HOSTILE, where=HOSTILE, now=HOSTILE))
    assert not CONTROL & set(text)
    assert [line for line in text.splitlines()[1:] if not line.startswith("  ")] == []


def test_dirty_record_is_logged_in_one_line(caplog: pytest.LogCaptureFixture) -> None:
    content = HOSTILE.encode()
    record = SourceRecord(topic="t", partition=0, offset=7, timestamp=0, key=content, value=content, headers=())
    letter = DeadLetter(record, "source", HOSTILE)
    with caplog.at_level(logging.WARNING, "kafkastream"):
        DirtyDataLogger("log").write(Batch([letter], [0], [0]))
    (message,) = caplog.messages
    assert not (CONTROL | {"\n"}) & set(message)
    assert "has failed" in message


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("is_terminal", [True, False])
def test_table_of_a_result_is_raw_only_where_it_is_no_terminal(
    is_terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = Terminal() if is_terminal else io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    result: Any = TableResult([("text", DataType.string())], [Row(HOSTILE)])
    result.print()
    shown = stream.getvalue()
    assert (HOSTILE in shown) is not is_terminal
    assert bool(CONTROL & set(shown)) is not is_terminal


def test_names_in_tables_of_commands_are_no_markup() -> None:
    table = titled_table(f"Jobs {HOSTILE}", "name")
    table.add_row(cell(f"[red]{HOSTILE}[/nothing]"))
    console = Console(file=io.StringIO(), width=300)
    console.print(table)
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert not CONTROL & set(shown)
    assert "[red]a\\x1b[2J" in shown
