"""The program in the README."""

from __future__ import annotations

import re

from tests.package import ROOT

__all__ = ["readmes_job"]


def readmes_job(servers: str, topic: str) -> str:
    """Return the program with another broker and topic in it."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"^## A job$.*?^```python\n(.*?)^```$", readme, re.DOTALL | re.MULTILINE)
    assert found
    return found[1].replace("localhost:9092", servers).replace('"lines"', f'"{topic}"')
