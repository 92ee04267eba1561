"""Date patterns: Java's letters become directives of ``strftime``."""

from __future__ import annotations

import ast
import re
from typing import Final

from kafkastream.port.java_nodes import Type
from kafkastream.port.marks import Untranslated
from kafkastream.port.python_trees import constant
from kafkastream.port.translation import Value

__all__ = ["date_formatter", "python_pattern"]

_DIRECTIVES: Final = {
    "yyyy": "%Y", "uuuu": "%Y", "yy": "%y", "MM": "%m", "MMM": "%b", "MMMM": "%B", "dd": "%d", "HH": "%H", "hh": "%I", "mm": "%M",
    "ss": "%S", "SSSSSS": "%f", "a": "%p", "E": "%a", "EEE": "%a", "EEEE": "%A", "D": "%j", "Z": "%z", "z": "%Z",
}  # fmt: skip


def python_pattern(pattern: str) -> str:
    """Return the pattern of ``strftime`` for one of ``DateTimeFormatter``.

    Raises:
        Untranslated: Python has no directive for some letters.

    Example:
        >>> python_pattern("yyyy-MM-dd'T'HH:mm:ss")
        '%Y-%m-%dT%H:%M:%S'
    """
    directives = ""
    for quoted, letters, other in re.findall(r"'([^']*)'|([a-zA-Z]+)|([^a-zA-Z'])", pattern):
        directives += quoted + _directives(letters) + other.replace("%", "%%")
    return directives


def _directives(letters: str) -> str:
    runs = [run_match[0] for run_match in re.finditer(r"(.)\1*", letters)]
    for run in runs:
        if run not in _DIRECTIVES:
            raise Untranslated(f"Python's dates have no directive for {run}")
    return "".join(_DIRECTIVES[run] for run in runs)


def date_formatter(pattern: Value) -> Value:
    """Translate a date formatter to a pattern of ``strftime``.

    Raises:
        Untranslated: The pattern is not a literal, or has letters that Python lacks.
    """
    if not isinstance(pattern.code, ast.Constant):
        raise Untranslated("the pattern of this formatter is not a literal")
    return Value(constant(python_pattern(str(pattern.code.value))), Type("DateTimeFormatter"))
