"""Java programs of various kinds, and the Python that they become; run as a program, it writes the Python anew."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from kafkastream.port.program import PortedProgram, port_program

PROGRAMS: Final = sorted((Path(__file__).parent / "programs").glob("*.java"))


def ported(java: Path) -> PortedProgram:
    return port_program([java])


@pytest.mark.parametrize("java", PROGRAMS, ids=lambda java: str(java.stem))
def test_a_program_becomes_the_python_beside_it(java: Path) -> None:
    assert ported(java).text == java.with_suffix(".py").read_text(encoding="utf-8")


@pytest.mark.parametrize("java", PROGRAMS, ids=lambda java: str(java.stem))
def test_a_program_is_python_whose_names_are_known(java: Path) -> None:
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "E9,F63,F7,F811,F821,F822,F401", "-"]
    run = subprocess.run(command, input=ported(java).text, capture_output=True, text=True, check=False)
    excused = {"Undefined name `CACHE`"} if java.stem == "Unported" else set()
    complaints = [
        line for line in run.stdout.splitlines() if line[:1].isupper() and not any(one in line for one in excused)
    ]
    assert [line for line in complaints if not line.startswith(("All checks", "Found"))] == []


def test_only_one_program_has_marks() -> None:
    assert [java.stem for java in PROGRAMS if ported(java).marks] == ["Unported"]


def test_a_mark_has_the_java_lines_and_the_reason() -> None:
    result = ported(next(java for java in PROGRAMS if java.stem == "Unported"))
    marks = {mark.line: mark.reason for mark in result.marks}
    assert marks[7] == "Jedis has no counterpart"
    assert marks[27] == "Python has no ++ within an expression"
    assert (
        "# TODO(port) Unported.java:27: Python has no ++ within an expression\n    #     return cells[i++];"
        in result.text
    )
    assert (result.lines.code, result.lines.marked) == (28, 13)


@pytest.mark.timeout(600)
def test_what_has_no_marks_passes_a_type_checker(tmp_path: Path) -> None:
    for java in PROGRAMS:
        if not ported(java).marks:
            (tmp_path / f"{java.stem}.py").write_text(ported(java).text, encoding="utf-8")
    files = sorted(map(str, tmp_path.glob("*.py")))
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--config-file=",
        f"--cache-dir={tmp_path / 'cache'}",
        "--follow-imports=silent",
        *files,
    ]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


def test_a_program_without_flink_prints_what_java_prints(tmp_path: Path) -> None:
    script = tmp_path / "texts.py"
    script.write_text(ported(next(java for java in PROGRAMS if java.stem == "Texts")).text, encoding="utf-8")
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    first, second, third, fourth, fifth, *rest = run.stdout.splitlines()  # compared with Java's, of java Texts.java
    assert first == "0=apple, 1=pear, 2=kiwi, 3=fig"
    assert second == "APPLE|PEAR|KIWI [5, 4, 4, 3] 3"
    assert third == "  4.8|ab   |006|2"
    assert fourth == "50% of one"
    assert fifth == "18 1099511627776 -3 -1 0.25 1.0E10 true"
    assert rest == ["A...", "P...", "K...", "F...", "all -> 4", "fig -> 2", "not a number", "calls: 1"]


def test_programs_are_laid_out_as_they_are_read() -> None:
    for java in PROGRAMS:
        text = ported(java).text
        assert ast.unparse(ast.parse(text)) == ast.unparse(
            ast.parse(java.with_suffix(".py").read_text(encoding="utf-8"))
        )


if __name__ == "__main__":
    for program in PROGRAMS:
        program.with_suffix(".py").write_text(ported(program).text, encoding="utf-8")
