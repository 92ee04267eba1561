"""The tests that pages show run as they are written, without Spark, Java or a broker."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

from tests.package import ROOT

SECTIONS = {
    "docs/testing.md": ("In the test's own process",),
    "docs/tutorial.md": ("Define the job", "Test it"),
    "docs/cookbook.md": ("How do I test a job?",),
    "docs/restarting.md": ("# Restarting a job", "What may change"),
    "docs/porting/from-pyflink.md": ("Imports", "Tests"),
}
"""Sections whose Python blocks are a program with tests."""


def program_of(page: str) -> str:
    """The Python blocks of a page's sections, without those for Flink."""
    text = (ROOT / page).read_text(encoding="utf-8")
    sections = re.split(r"^## ", text, flags=re.MULTILINE)
    shown = "\n".join(section for section in sections if section.startswith(SECTIONS[page]))
    return "\n".join(re.findall(r"^```python\n(?!# Before)(.*?)^```$", shown, re.MULTILINE | re.DOTALL))


TESTS = [
    (page, name) for page in SECTIONS for name in re.findall(r"^def (test_\w+)\(\)", program_of(page), re.MULTILINE)
]


@pytest.fixture(scope="module")
def programs() -> dict[str, dict[str, Any]]:
    """The names that each page's program defines; the tutorial has a broker, which its test does not ask."""
    programs = {}
    for page in SECTIONS:
        names: dict[str, Any] = {"__name__": "__main__", "kafka": SimpleNamespace(bootstrap_servers="broker:9092")}
        exec(compile(program_of(page), page, "exec"), names)
        programs[page] = names
    return programs


@pytest.mark.parametrize(("page", "test"), TESTS, ids=[test for _, test in TESTS])
def test_test_of_a_page_passes(page: str, test: str, programs: dict[str, dict[str, Any]]) -> None:
    programs[page][test]()


def test_every_section_has_a_test() -> None:
    assert {page for page, _ in TESTS} == set(SECTIONS)
