"""Types are promises: what mypy tells the users of this package, good and bad, is tested.

In ``cases/``, a comment ``# error: text`` asks for an error with this text on its line, ``# reveals: type`` for a
``reveal_type`` of exactly this type (without modules); all other lines must be clean.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest
from mypy import api

ROOT = Path(__file__).parents[2]
CASES = sorted((Path(__file__).parent / "cases").glob("*.py"))
_MESSAGE = re.compile(r"(?P<path>[^:]+):(?P<line>\d+): (?P<kind>error|note): (?P<text>.*)")
_EXPECTED = re.compile(r"# (?P<kind>error|reveals): (?P<text>.*)")
_MODULE = re.compile(r"[\w.]+\.(?=\w)")
_REVEALED = re.compile(r'Revealed type is "(?P<type>.*)"')

Messages = dict[int, list[str]]


@pytest.fixture(scope="session")
def mypy_says(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Messages]:
    cache = tmp_path_factory.getbasetemp() / "mypy"
    flags = ["--strict", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(cache), "--no-pretty"]
    out, problems, _ = api.run([*flags, "--no-error-summary", *map(str, CASES)])
    assert problems == ""
    return _by_file(out)


def _by_file(out: str) -> dict[Path, Messages]:
    messages: dict[Path, Messages] = defaultdict(lambda: defaultdict(list))
    for match in filter(None, map(_MESSAGE.fullmatch, out.splitlines())):
        if match["kind"] == "error" or "Revealed type" in match["text"]:
            messages[Path(match["path"]).resolve()][int(match["line"])].append(match["text"])
    return messages


def _unexpected(line: str, said: list[str]) -> str:
    expected = _EXPECTED.search(line)
    if expected is None:
        return "; ".join(said)
    if expected["kind"] == "error":
        return "" if any(expected["text"] in text for text in said) else f"no such error, but {said}"
    revealed = [_MODULE.sub("", match["type"]) for match in map(_REVEALED.fullmatch, said) if match]
    return "" if revealed == [expected["text"]] else f"reveals {said}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_mypy_sees_what_the_case_promises(case: Path, mypy_says: dict[Path, Messages]) -> None:
    said = mypy_says.get(case.resolve(), {})
    lines = enumerate(case.read_text(encoding="utf-8").splitlines(), start=1)
    problems = {number: _unexpected(line, said.get(number, [])) for number, line in lines}
    assert {number: problem for number, problem in problems.items() if problem} == {}
