"""Records a session of the SQL shell as a picture for the documentation: ``python -m tests.docs.shell_recording``.

A real ``kafkastream sql`` runs in a pseudo-terminal; pyte is its terminal, and rich draws the screen as SVG.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable
from io import StringIO
from itertools import groupby
from pathlib import Path
from typing import Final

import pyte
from rich.console import Console
from rich.style import Style
from rich.text import Text

PICTURE: Final = Path(__file__).parents[2] / "docs" / "sql" / "shell.svg"
COLUMNS: Final = 104
LINES: Final = 46
PATIENCE_S: Final = 120.0
CREATE_BIDS: Final = """\
CREATE TABLE bids (price BIGINT, channel INT) WITH (
  'connector' = 'datagen', 'number-of-rows' = '20000', 'rows-per-second' = '5000',
  'fields.price.min' = '1', 'fields.price.max' = '500',
  'fields.channel.min' = '1', 'fields.channel.max' = '4');"""
TYPED: Final = (
    (CREATE_BIDS, "OK"),
    ("DESCRIBE bids;", "rows in set"),
    ("SELECT chanel, COUNT(*) FROM bids GROUP BY chanel;", "Did you mean"),
    ("SELECT channel, COUNT(*) AS bids, MAX(price) AS highest FROM bids GROUP BY channel;", "changes"),
)


def main() -> None:
    screen = pyte.HistoryScreen(COLUMNS, LINES, history=10_000)
    stream = pyte.ByteStream(screen)
    with tempfile.TemporaryDirectory() as home:
        process, own = _shell(home)
        try:
            _until(own, stream, lambda: _text(screen).rstrip().endswith("SQL>"))
            for text, answer in TYPED:
                _type(own, stream, text)
                _until(own, stream, lambda: answer in _after(screen, text) and _text(screen).rstrip().endswith("SQL>"))  # noqa: B023
            os.write(own, b"\x04")
            process.wait(PATIENCE_S)
        finally:
            process.kill()
            os.close(own)
    _draw(screen)


def _shell(home: str) -> tuple[subprocess.Popen[bytes], int]:
    own, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    process = subprocess.Popen(
        [str(Path(sys.executable).with_name("kafkastream")), "sql", "-q"],
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TERM": "xterm-256color", "PROMPT_TOOLKIT_NO_CPR": "1", "XDG_DATA_HOME": home},
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - so that Ctrl-C becomes SIGINT
    )
    os.close(theirs)
    return process, own


def _type(own: int, stream: pyte.ByteStream, text: str) -> None:
    for character in text + "\n":
        os.write(own, character.encode())
        _read(own, stream, 0.01)


def _until(own: int, stream: pyte.ByteStream, is_reached: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not is_reached():
        if time.monotonic() > until:
            raise TimeoutError("the shell does not answer")
        _read(own, stream, 0.5)
    _read(own, stream, 0.5)


def _read(own: int, stream: pyte.ByteStream, patience_s: float) -> None:
    while select.select([own], [], [], patience_s)[0]:
        stream.feed(os.read(own, 65536))


def _text(screen: pyte.Screen) -> str:
    return "\n".join(screen.display).rstrip()


def _after(screen: pyte.Screen, text: str) -> str:
    """What stands on the screen after the last line that was typed."""
    return _text(screen).rpartition(text.splitlines()[-1][-30:])[2]


def _draw(screen: pyte.Screen) -> None:
    console = Console(record=True, width=COLUMNS, file=StringIO())
    rows = [screen.buffer[line] for line in range(len(_text(screen).splitlines()))]
    for row in rows:
        cells = [(_style(row[column]), row[column].data) for column in range(COLUMNS)]
        parts = [("".join(data for _, data in same), style) for style, same in groupby(cells, key=lambda cell: cell[0])]
        line = Text.assemble(*parts)
        line.rstrip()
        console.print(line, no_wrap=True)
    console.save_svg(str(PICTURE), title="kafkastream sql")


def _style(cell: pyte.screens.Char) -> Style:
    color = cell.fg.replace("brown", "yellow")
    if color == "default":
        return Style(bold=cell.bold)
    return Style(color=color if color.isalpha() else f"#{color}", bold=cell.bold)


if __name__ == "__main__":
    main()
