"""Marks: Java code left for manual translation, with its line and the reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

import attrs

from kafkastream.port.python_trees import Remark

__all__ = ["SIGN", "Mark", "Untranslated", "remark_of"]

SIGN: Final = "TODO(port)"
"""Begins the comment of each mark, so that editors and ``grep`` find them."""


@final
class Untranslated(Exception):  # noqa: N818 - never leaves the package; a mark comes of it
    """Java code without a translation, with the reason."""


@final
@attrs.frozen
class Mark:
    """Java code left for manual translation.

    Args:
        path: Path of the Java file.
        line: First line there.
        last: Last line there.
        reason: Why it was not translated.
        java: Lines of Java.
    """

    path: str
    line: int
    last: int
    reason: str
    java: tuple[str, ...]

    @property
    def where(self) -> str:
        """Place as ``Job.java:12``."""
        return f"{self.path}:{self.line}"


def remark_of(mark: Mark, file_name: str) -> Remark:
    """Return the comment of a mark: the reason, and the Java code below it."""
    return Remark(
        [f"{SIGN} {file_name}:{mark.line}: {mark.reason}", *(f"    {line}".rstrip() for line in _dedent(mark.java))]
    )


def _dedent(lines: Sequence[str]) -> list[str]:
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    least = min(indents[1:] or [0]) if len(indents) > 1 else 0
    first = lines[0].strip() if lines else ""
    return [first, *(line[least:] if not line[:least].strip() else line.strip() for line in lines[1:])]
