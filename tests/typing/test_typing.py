"""Types are promises: what mypy and pyright tell the users of this package, good and bad, is tested.

In ``cases/``, a comment ``# error: text`` asks mypy for an error with this text on its line, and pyright for any error;
``# strict: text`` asks for one that only mypy gives, and ``# reveals: type`` asks both for a ``reveal_type`` of exactly
this type (without modules).
All other lines must be clean.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mypy import api

from tests.unit.testing.test_documented_tests import program_of

ROOT = Path(__file__).parents[2]
CASES = sorted((Path(__file__).parent / "cases").glob("*.py"))
_MESSAGE = re.compile(r"(?P<path>[^:]+):(?P<line>\d+): (?P<kind>error|note): (?P<text>.*)")
_EXPECTED = re.compile(r"# (?P<kind>error|strict|reveals): (?P<text>.*)")
_MODULE = re.compile(r"[\w.]+\.(?=\w)")
_REVEALED = re.compile(r'(?:Revealed type|Type of ".*") is "(?P<type>.*)"')

Messages = dict[int, list[str]]
Says = dict[Path, Messages]
IsError = Callable[[str, str, list[str]], bool]


@pytest.fixture(scope="session")
def page_on_testing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The jobs and tests that the page on testing shows, which users copy into typed programs."""
    program = tmp_path_factory.mktemp("pages") / "testing.py"
    program.write_text(program_of("docs/testing.md"), encoding="utf-8")
    return program


@pytest.fixture(scope="session")
def mypy_says(page_on_testing: Path) -> Says:
    cache = ROOT / ".mypy_cache" / "cases"
    flags = ["--strict", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(cache), "--no-pretty"]
    out, problems, _ = api.run([*flags, "--no-error-summary", *map(str, CASES), str(page_on_testing)])
    assert problems == ""
    matches = filter(None, map(_MESSAGE.fullmatch, out.splitlines()))
    return _by_file(
        (match["path"], int(match["line"]), match["text"])
        for match in matches
        if match["kind"] == "error" or "Revealed type" in match["text"]
    )


@pytest.fixture(scope="session")
def pyright_says() -> Says:
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, *map(str, CASES)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    told = json.loads(run.stdout)["generalDiagnostics"]
    return _by_file((one["file"], one["range"]["start"]["line"] + 1, one["message"]) for one in told)


def _by_file(messages: Iterator[tuple[str, int, str]]) -> Says:
    found: Says = defaultdict(lambda: defaultdict(list))
    for path, line, text in messages:
        found[Path(path).resolve()][line].append(text)
    return found


def _unexpected(line: str, said: list[str], is_error: IsError) -> str:
    expected = _EXPECTED.search(line)
    if expected is None:
        return "; ".join(said)
    if expected["kind"] != "reveals":
        return "" if is_error(expected["kind"], expected["text"], said) else f"no such error, but {said}"
    revealed = [_MODULE.sub("", match["type"]) for match in map(_REVEALED.fullmatch, said) if match]
    return "" if revealed == [expected["text"]] and len(said) == 1 else f"reveals {said}"


def _problems(case: Path, says: Says, is_error: IsError) -> dict[int, str]:
    said = says.get(case.resolve(), {})
    lines = enumerate(case.read_text(encoding="utf-8").splitlines(), start=1)
    problems = {number: _unexpected(line, said.get(number, []), is_error) for number, line in lines}
    return {number: problem for number, problem in problems.items() if problem}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_mypy_sees_what_the_case_promises(case: Path, mypy_says: Says) -> None:
    assert _problems(case, mypy_says, lambda _, text, said: any(text in one for one in said)) == {}


def test_page_on_testing_is_typed(page_on_testing: Path, mypy_says: Says) -> None:
    assert page_on_testing.read_text(encoding="utf-8").count("def test_") >= 2
    assert mypy_says.get(page_on_testing.resolve(), {}) == {}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_pyright_sees_what_the_case_promises(case: Path, pyright_says: Says) -> None:
    assert _problems(case, pyright_says, lambda kind, _, said: (said != []) == (kind == "error")) == {}
