"""Counts of Java lines: lines of code, and lines left for manual translation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import final

import attrs

from kafkastream.port.java_nodes import JavaFile
from kafkastream.port.marks import Mark

__all__ = ["LineCount", "count_lines"]


@final
@attrs.frozen
class LineCount:
    """Count of the lines of code, and of those with a mark."""

    code: int
    marked: int

    @property
    def share(self) -> float:
        """Share of the lines that need no manual change."""
        return 1 - self.marked / self.code if self.code else 1.0


def count_lines(files: Iterable[JavaFile], marks: Sequence[Mark]) -> LineCount:
    """Count lines that are neither blank nor comments, imports or the package."""
    code = {(file.path, line) for file in files for line in _code_lines(file.text)}
    marked = {(mark.path, line) for mark in marks for line in range(mark.line, mark.last + 1)}
    return LineCount(len(code), len(code & marked))


def _code_lines(text: str) -> Iterator[int]:
    in_comment = False
    for number, line in enumerate(text.splitlines(), 1):
        content = line.strip()
        if in_comment or content.startswith("/*"):
            in_comment = "*/" not in content
        elif content and not content.startswith(("//", "import ", "package ")):
            yield number
