"""Ports a folder of Java programs, and prints for each how much needs no hand, and whether it imports and runs.

    python benchmarks/port_programs.py FOLDER [--list programs.txt] [--output FOLDER] [--reasons]

A program is a Java file with a main method that uses Flink's DataStream or Table API; the list, if there is one, names
the files to port, one in each line, relative to the folder. Ported programs go to the output folder, where they are
imported, each in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import attrs

from kafkastream.port.program import PortedProgram, port_program

_MAIN: Final = "public static void main("
_API: Final = ("StreamExecutionEnvironment", "TableEnvironment")
_IMPORTING: Final = """
import json, runpy, sys
errors = []
for path in sys.argv[1:]:
    try:
        runpy.run_path(path, run_name="ported")
        errors.append("")
    except BaseException as error:
        errors.append(f"{type(error).__name__}: {error}".splitlines()[0])
print(json.dumps(errors))
"""


@attrs.frozen
class Result:
    """What came of a program.

    Args:
        name: Name of the Java file, with its folder.
        ported: Program in Python.
        import_error: Last line of the error when it is imported; empty if it is not one.
        type_errors: Count of mypy's errors; None where it was not asked.
    """

    name: str
    ported: PortedProgram
    import_error: str
    type_errors: int | None = None


def programs_in(folder: Path) -> Iterator[Path]:
    """Yield the programs of a folder."""
    for path in sorted(folder.rglob("*.java")):
        text = path.read_text(encoding="utf-8", errors="replace")
        if _MAIN in text and any(one in text for one in _API) and "/test/" not in str(path):
            yield path


def import_errors(paths: Sequence[Path]) -> list[str]:
    """Import programs, in one process of their own; return the last line of each error, empty where there is none."""
    run = subprocess.run(
        [sys.executable, "-c", _IMPORTING, *map(str, paths)], capture_output=True, text=True, check=True
    )
    errors: list[str] = json.loads(run.stdout.splitlines()[-1])
    return errors


def type_errors(path: Path) -> int:
    """Return the count of mypy's errors in a program."""
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file=", "--no-error-summary", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    return sum(": error:" in line for line in run.stdout.splitlines())


def results_of(paths: Sequence[Path], folder: Path, output: Path, *, with_types: bool) -> list[Result]:
    """Port programs, write them, and import them."""
    made: list[tuple[str, PortedProgram, Path]] = []
    for path in paths:
        ported = port_program([path])
        parts = path.relative_to(folder).parts
        target = output / f"{'_'.join((parts[0], *parts[-3:-1], path.stem))}.py".replace("+", "_").replace("-", "_")
        target.write_text(ported.text, encoding="utf-8")
        made.append(("/".join((parts[0], path.name)), ported, target))
    errors = import_errors([target for _, _, target in made])
    return [
        Result(name, ported, error, type_errors(target) if with_types else None)
        for (name, ported, target), error in zip(made, errors, strict=True)
    ]


def table_of(results: list[Result]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| Program | Lines | Need no hand | Marks | Imports | Type errors |"
    yield "|---|---|---|---|---|---|"
    for one in results:
        count = one.ported.lines
        types = "-" if one.type_errors is None else str(one.type_errors)
        outcome = "yes" if not one.import_error else f"no: {one.import_error[:80]}"
        yield f"| {one.name} | {count.code} | {count.share:.0%} | {len(one.ported.marks)} | {outcome} | {types} |"
    code = sum(one.ported.lines.code for one in results)
    marked = sum(one.ported.lines.marked for one in results)
    fine = sum(not one.import_error for one in results)
    yield f"| {len(results)} programs | {code} | {1 - marked / max(code, 1):.1%} | | {fine} of {len(results)} | |"


def main() -> None:
    """Print the table, and the reasons of marks with their counts."""
    parser = argparse.ArgumentParser(description="Measure kafkastream port on a folder of Java programs.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--list", type=Path)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--types", action="store_true", help="count mypy's errors, too")
    parser.add_argument("--reasons", action="store_true", help="print the reasons of marks with their counts")
    given = parser.parse_args()
    folder = given.folder.resolve()
    listed = (
        [folder / line.strip() for line in given.list.read_text().splitlines() if line.strip()] if given.list else None
    )
    output = given.output or Path(tempfile.mkdtemp())
    output.mkdir(parents=True, exist_ok=True)
    paths = listed or list(programs_in(folder))
    results = results_of(paths, folder, output, with_types=given.types)
    print("\n".join(table_of(results)))
    if given.reasons:
        reasons = Counter(mark.reason for one in results for mark in one.ported.marks)
        print("\n".join(f"{count:4} {reason}" for reason, count in reasons.most_common()))


if __name__ == "__main__":
    main()
