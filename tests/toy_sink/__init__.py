"""A sink as somebody outside the package would write it, by the recipe in docs/contributing.md: files of JSON lines.

This module is the path that users import from, ``line_sink`` is the value, and ``line_writer`` the operator.
"""

from tests.toy_sink.line_sink import JsonLineSink

__all__ = ["JsonLineSink"]
