"""The page on troubleshooting has a section for each class of errors, under the code that its message shows."""

from __future__ import annotations

import ast
import re

from kafkastream.errors import UnknownTopicError
from tests.package import ROOT, trees

PAGE = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8").partition("## Errors by code")[2]
SECTION = re.compile(r"^### (?P<code>.*)\n\n`(?P<name>\w+)`", re.MULTILINE)


def codes() -> dict[str, str]:
    """The code of each class that has one of its own."""
    return {
        statement.value.value: node.name
        for tree in trees().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and node.name.endswith("Error")
        for statement in node.body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
        and "code" in {getattr(target, "id", "") for target in ast.walk(statement)}
    }


def test_each_class_of_errors_has_its_section() -> None:
    sections = {section["code"]: section["name"] for section in SECTION.finditer(PAGE)}
    assert sections == codes()
    assert len(re.findall(r"^### ", PAGE, re.MULTILINE)) == len(sections)


def test_message_begins_with_the_anchor_of_its_section() -> None:
    code = str(UnknownTopicError("topic a does not exist")).partition("]")[0].removeprefix("[")
    assert f"### {code}\n" in PAGE
    assert re.fullmatch(r"[a-z-]+", code)


def test_codes_are_anchors_as_they_are() -> None:
    assert [code for code in codes() if not re.fullmatch(r"[a-z]+(-[a-z]+)*", code)] == []
