"""What README and docs name is there: files, headings, make targets, commands, layers, dependencies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from kafkastream.cli import main

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\[[^\]]*\]\((?P<path>[^)#:\s]*)(?:#(?P<heading>[\w-]+))?\)")
CODE = re.compile(r"`[^`\n]*`")
PROSE = re.compile(r"^```\w*\n.*?^```$", re.MULTILINE | re.DOTALL)
SHELL = re.compile(r"^```bash\n(.*?)^```$|`([^`\n]+)`", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"\bkafkastream (?P<name>[a-z]+)(?P<options>(?: (?!#)[^\s)]+)*)")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def shell(page: Path) -> Iterator[str]:
    """What a reader may type: bash blocks and inline code."""
    for block, inline in SHELL.findall(page.read_text(encoding="utf-8")):
        yield from (block or inline).splitlines()


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", PROSE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def words_in_tables(page: Path, after: str) -> list[str]:
    """The first column of the first table after a text."""
    table = page.read_text(encoding="utf-8").partition(after)[2].partition("|---|")[2]
    rows = table.partition("\n\n")[0].splitlines()[1:]
    return [row.split("|")[1].strip(" `") for row in rows]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.finditer(CODE.sub("`code`", PROSE.sub("", page.read_text(encoding="utf-8")))):
        target = page.parent / link["path"] if link["path"] else page
        assert target.exists(), link[0]
        assert link["heading"] is None or link["heading"] in anchors(target), link[0]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_make_targets_exist(page: Path) -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = {target for line in shell(page) for target in re.findall(r"\bmake ([a-z][a-z-]*)", line)}
    assert named <= targets


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_and_their_options_exist(page: Path) -> None:
    for command in (found for line in shell(page) for found in COMMAND.finditer(line)):
        known = main.commands[command["name"]]
        own = command["options"].partition(".py")[0] if command["name"] == "run" else command["options"]
        flags = {flag for option in known.params if isinstance(option, click.Option) for flag in option.opts}
        assert set(re.findall(r"--[a-z-]+", own)) <= flags, command[0]


def test_layers_are_those_that_are_checked() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    contract = re.search(r"^layers = \[\n(.*?)^\]", project, re.MULTILINE | re.DOTALL)
    assert contract
    layers = [layer for line in re.findall(r'"([\w |]+)"', contract[1]) for layer in line.split(" | ")]
    assert words_in_tables(ROOT / "docs" / "architecture.md", "## Layers") == layers


@pytest.mark.parametrize(
    ("key", "text"), [("dependencies", "## Dependencies"), ("dev", "To develop:"), ("docs", "To build the site")]
)
def test_every_dependency_has_its_reason(key: str, text: str) -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    listed = re.search(rf"^{key} = \[\n(.*?)^\]", project, re.MULTILINE | re.DOTALL)
    assert listed
    page = ROOT / "docs" / "architecture.md"
    elsewhere = {"pyspark", *words_in_tables(page, "With an extra,")} if key == "dev" else set()
    named = set(re.findall(r'^ +"([\w-]+)', listed[1], re.MULTILINE)) - elsewhere
    assert set(words_in_tables(page, text)) == named
