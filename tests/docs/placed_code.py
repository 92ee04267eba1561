"""Code of the docs and examples, run where a test runs: with topics, a broker and a directory of the test's own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

__all__ = ["placed_code"]


def placed_code(code: str, topics: Mapping[str, str], servers: str, data: Path) -> str:
    """Put the test's own topics, broker and directory into code.

    Args:
        code: Python, or SQL.
        topics: Topics of the test, by their names in the code.
        servers: Broker that replaces ``localhost:9092``.
        data: Directory that replaces ``file:///data``.
    """
    for topic, real in topics.items():
        code = code.replace(f'"{topic}"', f'"{real}"').replace(f"'topic' = '{topic}'", f"'topic' = '{real}'")
        code = code.replace(f"`{topic}`", f"`{real}`")
    return code.replace("localhost:9092", servers).replace("file:///data", data.as_uri())
