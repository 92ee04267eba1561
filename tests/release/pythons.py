"""The wheel in a clean environment of a Python: what a user does first with it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

__all__ = ["first_steps", "python_of", "users_environment"]

_INSTALLED: Final = (".pyenv/versions/{0}.*/bin/python{0}", ".local/share/uv/python/cpython-{0}.*/bin/python{0}")
"""Where pyenv and uv keep the Pythons that they install, in the home directory."""
_ASKED: Final = "import platform; print(platform.python_version())"
_LEFT_OUT: Final = ("PYTHONPATH", "PYSPARK_PYTHON", "VIRTUAL_ENV")
_LIMIT_S: Final = 900


def python_of(version: str) -> tuple[str, Path] | None:
    """Find a Python of a minor version on this machine, outside of this environment.

    Args:
        version: Version such as ``3.11``.

    Returns:
        Its whole version and its path; None if there is none.
    """
    for path in _candidates(version):
        run = subprocess.run([path, "-c", _ASKED], capture_output=True, text=True, check=False)
        if run.returncode == 0:
            return run.stdout.strip(), path
    return None


def _candidates(version: str) -> Iterator[Path]:
    on_path = (Path(folder) / f"python{version}" for folder in os.environ["PATH"].split(os.pathsep))
    yield from (path for path in on_path if os.access(path, os.X_OK) and path.parent != Path(sys.executable).parent)
    for pattern in _INSTALLED:
        yield from sorted(Path.home().glob(pattern.format(version)), reverse=True)


def first_steps(python: Path, wheel: Path, program: str, folder: Path) -> Iterator[str]:
    """Install the wheel into an environment of its own, and try it there; yields a line for each step.

    Args:
        python: The Python.
        wheel: The wheel.
        program: Text of the README's program, which prints HELLO and WORLD.
        folder: An empty folder.

    Raises:
        AssertionError: A step has failed; the error has its output.
    """
    environment = folder / "environment"
    _output([python, "-m", "venv", environment], folder)
    binaries = environment / "bin"
    _output([binaries / "pip", "install", "--quiet", "--disable-pip-version-check", wheel.absolute()], folder)
    _output([binaries / "pip", "check"], folder)
    versions = (
        "from importlib.metadata import version as v; print('kafkastream', v('kafkastream'), 'pyspark', v('pyspark'))"
    )
    yield f"pip install: {_output([binaries / 'python', '-c', versions], folder).strip()}"
    assert "doctor" in _output([binaries / "kafkastream", "--help"], folder)
    yield "kafkastream --help: lists the commands"
    found = _output([binaries / "kafkastream", "doctor"], folder)
    assert found.endswith("Jobs can run here.\n"), found
    yield "kafkastream doctor: Jobs can run here."
    job = folder / "job.py"
    job.write_text(program, encoding="utf-8")
    printed = _output([binaries / "python", job], folder)
    assert printed == "HELLO\nWORLD\n", printed
    yield f"the README's program: prints {' and '.join(printed.split())}"


def _output(command: list[str | Path], folder: Path) -> str:
    """Return the standard output of a command that succeeds, run with a user's environment."""
    run = subprocess.run(
        command, cwd=folder, env=users_environment(), capture_output=True, text=True, check=False, timeout=_LIMIT_S
    )
    assert run.returncode == 0, f"{' '.join(map(str, command))}\n{run.stdout}{run.stderr}"
    return run.stdout


def users_environment() -> Mapping[str, str]:
    """Return the environment variables of a user who has never heard of this checkout."""
    own = str(Path(sys.executable).parent)
    path = os.pathsep.join(folder for folder in os.environ["PATH"].split(os.pathsep) if folder != own)
    return {name: value for name, value in os.environ.items() if name not in _LEFT_OUT} | {"PATH": path}
