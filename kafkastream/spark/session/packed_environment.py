"""Packs this Python environment with its interpreter into an archive, for executors without a Python.

Spark unpacks it in each executor's working directory (``--archives env.tar.gz#env``) and starts ``./env/bin/python``.
pyspark is left out: executors take it from their own Spark.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from collections.abc import Collection, Iterable, Iterator
from importlib.metadata import Distribution, distributions
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from kafkastream.errors import SetupError

__all__ = ["SUFFIXES", "pack", "package_files"]

SUFFIXES: Final = (".tar.gz", ".tgz")
"""Suffixes of archives that Spark unpacks with ``tar``; for others it loses the executable bit."""

_NOT_TO_SHIP: Final = ("pyspark", "py4j", "pip", "setuptools", "wheel")
"""Packages left out: Spark's own, which executors have, and installers."""
_STDLIB_LEFT_OUT: Final = (
    *("site-packages", "dist-packages", "test", "idlelib", "turtledemo", "tkinter", "ensurepip", "lib2to3"),
    *("config-*", "*.a"),
)
_OPTIMIZED: Final = "*.opt-[12].pyc"
"""Suffixes of bytecode for the options -O and -OO, which Spark does not use."""
_LARGE_AND_UNUSED: Final = ("pandas/tests", "pyarrow/tests", "pyarrow/include")
_NEEDED: Final = "import confluent_kafka, pandas, pyarrow, kafkastream.spark.exchange.stateful_stage"
_LAUNCHER: Final = """\
#!/bin/sh
# The interpreter finds its library from where it lies, but not its own shared library.
here=$(cd "${{0%/*}}" && pwd)
LD_LIBRARY_PATH="$here${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}" exec "$here/{name}" "$@"
"""


def pack(archive: Path, *, without: Collection[str] = ()) -> None:
    """Write an archive of the running environment.

    Args:
        archive: Path of the archive, with one of the ``SUFFIXES``.
        without: Installed packages to leave out, by their names in pip.

    Raises:
        SetupError: This environment, or a package in it, cannot be moved to other machines.
    """
    _check_movable()
    with tempfile.TemporaryDirectory(prefix="kafkastream-pack-", dir=archive.resolve().parent) as temporary:
        root = Path(temporary, "env")
        _copy_interpreter(root)
        packages = root / _site_packages(root)
        left_out = package_files({*_NOT_TO_SHIP, *without})
        for folder in reversed(_site_folders()):
            _copy(folder, packages, left_out)
        for package in _editable_packages():
            _copy(package, packages / package.name, ())
        for unused in _LARGE_AND_UNUSED:
            shutil.rmtree(packages / unused, ignore_errors=True)
        _check(root)
        written = Path(temporary, archive.name)
        _write(written, root)
        written.replace(archive)


def _check_movable() -> None:
    if sys.platform != "linux":
        raise SetupError(
            f"executors on Linux cannot run the Python of {sys.platform}",
            where="kafkastream pack",
            now="Run it in a container with the executors' Linux.",
        )
    if Path(sys.base_prefix, "conda-meta").is_dir():
        raise SetupError(
            "this is an environment of conda, whose libraries only its own tool can move",
            where=sys.prefix,
            now="conda install conda-pack; conda pack -o env.tar.gz",
        )


def _copy_interpreter(root: Path) -> None:
    """Copy the interpreter of this environment, its standard library, and its shared library."""
    binaries, name = root / "bin", f"python{sysconfig.get_python_version()}"
    binaries.mkdir(parents=True)
    shutil.copy2(Path(getattr(sys, "_base_executable", sys.executable)).resolve(), binaries / name)
    for library in _libpython():
        shutil.copy2(library, binaries)
    base = Path(sys.base_prefix)
    stdlib = Path(os.__file__).parent
    for folder in {stdlib, Path(sys.base_exec_prefix, sys.platlibdir, stdlib.name)}:
        if folder.is_dir():
            _copy(folder, root / folder.relative_to(base), _STDLIB_LEFT_OUT)
    launcher = binaries / "python"
    launcher.write_text(_LAUNCHER.format(name=name), encoding="utf-8")
    launcher.chmod(0o755)
    (binaries / "python3").symlink_to("python")


def _libpython() -> Iterable[Path]:
    """Return the shared libraries of Python itself that this process has loaded, by their names for the loader."""
    maps = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    paths = {Path(line.split(maxsplit=5)[5]) for line in maps.splitlines() if "/libpython" in line}
    return sorted(path for path in paths if path.name.startswith("libpython"))


def _site_packages(root: Path) -> Path:
    """Return the folder below the root in which the copied interpreter looks for packages.

    Raises:
        SetupError: It looks outside of the copy.
    """
    known = _run(root, "import site; print(site.getsitepackages()[0])").strip()
    if not Path(known).is_relative_to(root):
        raise SetupError(
            f"the copied interpreter looks for its packages in {known}, not in its own folder",
            where=sys.base_prefix,
            now="Make the environment with another Python: python.org's, uv's, pyenv's, or the system's.",
        )
    return Path(known).relative_to(root)


def _run(root: Path, program: str) -> str:
    """Run a program with the copied interpreter, isolated from this environment except for Spark's Python files.

    Raises:
        SetupError: It fails.
    """
    (spark,) = getattr(find_spec("pyspark"), "submodule_search_locations", None) or [""]
    libraries = map(str, Path(spark, "python", "lib").glob("*.zip"))
    environment = {"PATH": os.defpath, "PYTHONPATH": os.pathsep.join(libraries)}
    done = subprocess.run(  # noqa: S603
        [str(root / "bin" / "python"), "-c", program], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SetupError(
            f"the packed Python does not work: {done.stderr.strip().splitlines()[-1:]}",
            where=sys.prefix,
            now="Check that kafkastream is installed in this environment with its dependencies.",
        )
    return done.stdout


def _check(root: Path) -> None:
    _run(root, _NEEDED)


def _site_folders() -> list[Path]:
    """Return the folders of installed packages that this process imports from, in order."""
    import site

    known = [*site.getsitepackages(), site.getusersitepackages()]
    return [Path(folder) for folder in dict.fromkeys(known) if folder in sys.path and Path(folder).is_dir()]


def package_files(left_out: Collection[str]) -> set[str]:
    """Return the top-level files and folders in ``site-packages`` that only belong to these packages.

    For editable packages these are the links to their source folders.
    """
    ours: set[str] = set()
    others: set[str] = set()
    for distribution in distributions():
        name = distribution.metadata["Name"]
        is_left_out = _plain(name) in set(map(_plain, left_out))
        if is_left_out:  # the metadata that a pip before 23.1 writes do not list themselves
            ours.add(f"{name}-{distribution.version}.egg-info")
        for file in distribution.files or ():
            is_link = _is_editable(distribution) and len(file.parts) == 1
            (ours if is_left_out or is_link else others).add(file.parts[0])
    return ours - others


def _plain(name: str) -> str:
    """Return the name of a package, normalized as pip does."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _is_editable(distribution: Distribution) -> bool:
    origin = json.loads(distribution.read_text("direct_url.json") or "{}")
    return bool(origin.get("dir_info", {}).get("editable"))


def _editable_packages() -> Iterator[Path]:
    """Return the source folders of editable packages.

    Raises:
        SetupError: An editable distribution has no package of its own name.
    """
    for distribution in filter(_is_editable, distributions()):
        name = distribution.metadata["Name"]
        spec = find_spec(_plain(name).replace("-", "_"))
        folders = list(spec.submodule_search_locations or ()) if spec else []
        if not folders:
            raise SetupError(
                f"{name} is installed as an editable package, and the location of its files cannot be determined",
                where=sys.prefix,
                now="Install it without -e, or leave it out: --without.",
            )
        yield Path(folders[0])


def _copy(source: Path, target: Path, left_out: Iterable[str]) -> None:
    """Copy a folder without some of its direct entries."""

    def ignored(folder: str, names: list[str]) -> set[str]:
        patterns = left_out if Path(folder) == source else ()
        return shutil.ignore_patterns(*patterns, _OPTIMIZED)(folder, names)

    shutil.copytree(source, target, ignore=ignored, ignore_dangling_symlinks=True, dirs_exist_ok=True)


def _write(archive: Path, root: Path) -> None:
    def of_nobody(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        return entry

    # The default level of 9 takes many times as long, for a tenth less.
    with tarfile.open(archive, "w:gz", compresslevel=1) as tar:
        for entry in sorted(root.iterdir()):
            tar.add(entry, arcname=entry.name, filter=of_nobody)
