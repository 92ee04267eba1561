"""Checks a release before it is uploaded: ``make release-check``.

::

    python -m tests.release                      # all supported Pythons of this machine
    python -m tests.release --python 3.12        # one of them
    python -m tests.release --archives           # only the archives

The archives stay in ``build/release``. Exits with 1 if anything is wrong, or no Python of this machine is supported.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

import click

from kafkastream.testing import EmbeddedKafka
from tests.release.archives import Archives, built, faults, relative_links, supported_pythons
from tests.release.pythons import first_steps, python_of
from tests.release.readmes_job import readmes_job

_OUT: Final = Path("build/release")


def main() -> None:
    """Check as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", action="append", help="a version such as 3.12; may recur (all of the classifiers)")
    parser.add_argument("--archives", action="store_true", help="check the archives only")
    given = parser.parse_args()
    shutil.rmtree(_OUT, ignore_errors=True)
    _OUT.mkdir(parents=True)
    archives = built(_OUT)
    click.echo(f"{archives.sdist.name} and {archives.wheel.name}: {archives.wheel.stat().st_size:,} bytes")
    wrong = faults(archives)
    click.echo("\n".join(f"  WRONG  {one}" for one in wrong) or "  content and metadata: right")
    if links := relative_links(archives):
        click.echo(f"  note   {links} relative links of the README lead nowhere on a package index")
    if given.archives:
        sys.exit(bool(wrong))
    sys.exit(not _tried(archives, given.python or supported_pythons(archives)) or bool(wrong))


def _tried(archives: Archives, versions: list[str]) -> bool:
    """Try the wheel on each Python that is there; return whether it works on each, and on one at least."""
    works: list[bool] = []
    with EmbeddedKafka() as kafka:
        kafka.create_topic("lines")
        kafka.produce("lines", ["hello world"])
        program = readmes_job(kafka.bootstrap_servers, "lines")
        for version in versions:
            found = python_of(version)
            if found is None:
                click.echo(f"Python {version}: SKIPPED, this machine has none")
            else:
                click.echo(f"Python {found[0]}, {found[1]}")
                works.append(_works(found[1], archives.wheel, program))
    return bool(works) and all(works)


def _works(python: Path, wheel: Path, program: str) -> bool:
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="kafkastream-release-") as folder:
        try:
            for step in first_steps(python, wheel, program, Path(folder)):
                click.echo(f"  {time.monotonic() - began:4.0f} s  {step}")
        except AssertionError as error:
            click.echo(f"  WRONG  {error}")
            return False
    return True


if __name__ == "__main__":
    main()
