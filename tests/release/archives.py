"""The archives of a release, sdist and wheel: how they are built, and what has to be in them."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from email.parser import BytesParser
from pathlib import Path
from typing import Final, final

import attrs
from packaging.metadata import ExceptionGroup, Metadata

from tests.package import ROOT

__all__ = ["Archives", "built", "faults", "relative_links", "supported_pythons"]

_BESIDES: Final = frozenset({".gitignore", "CHANGELOG.md", "LICENSE", "PKG-INFO", "README.md", "pyproject.toml"})
"""Files of the sdist other than the package."""
_LICENSES: Final = ("/licenses/LICENSE", "/licenses/kafkastream/page/assets/preact.LICENSE")
_RELATIVE: Final = re.compile(r"\]\((?!https?:|#)")
_PYTHON: Final = "Programming Language :: Python :: 3."


@final
@attrs.frozen
class Archives:
    """The two archives of a version."""

    sdist: Path
    wheel: Path

    def metadata(self) -> bytes:
        """Return the metadata in the wheel."""
        with zipfile.ZipFile(self.wheel) as wheel:
            (name,) = (one for one in wheel.namelist() if one.endswith(".dist-info/METADATA"))
            return wheel.read(name)


def built(into: Path) -> Archives:
    """Build the sdist, and the wheel from the sdist, as pip and package indexes do.

    Args:
        into: An empty folder.
    """
    _build("sdist", ROOT, into)
    (sdist,) = into.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # since Python 3.11.4
        archive.extractall(into / "unpacked")
    (tree,) = (into / "unpacked").iterdir()
    _build("wheel", tree, into)
    (wheel,) = into.glob("*.whl")
    return Archives(sdist, wheel)


def _build(target: str, tree: Path, into: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", into.absolute()],
        cwd=tree,
        check=True,
        capture_output=True,
    )


def supported_pythons(archives: Archives) -> list[str]:
    """Return the versions of Python that the classifiers name, such as ``3.11``."""
    classifiers = BytesParser().parsebytes(archives.metadata()).get_all("Classifier", [])
    return [f"3.{one.removeprefix(_PYTHON)}" for one in classifiers if one.startswith(_PYTHON)]


def faults(archives: Archives) -> list[str]:
    """Return what is wrong with the content and the metadata of the archives."""
    return [*_of_wheel(archives.wheel), *_of_sdist(archives.sdist), *_of_metadata(archives)]


def relative_links(archives: Archives) -> int:
    """Return the number of links in the description that lead nowhere where only the description is shown."""
    return len(_RELATIVE.findall(Metadata.from_email(archives.metadata(), validate=False).description or ""))


def package_files() -> set[str]:
    """Return the files of the package in this tree."""
    files = (file for file in (ROOT / "kafkastream").rglob("*") if file.is_file() and "__pycache__" not in file.parts)
    return {file.relative_to(ROOT).as_posix() for file in files}


def _of_wheel(path: Path) -> Iterator[str]:
    with zipfile.ZipFile(path) as wheel:
        names = {name for name in wheel.namelist() if not name.endswith("/")}
    notes = {name for name in names if name.partition("/")[0].endswith(".dist-info")}
    yield from _compared("wheel", names - notes, package_files())
    yield from (f"wheel: {name} is missing" for name in _LICENSES if not any(one.endswith(name) for one in notes))


def _of_sdist(path: Path) -> Iterator[str]:
    with tarfile.open(path) as sdist:
        names = {name.partition("/")[2] for name in (one.name for one in sdist.getmembers() if one.isfile())}
    yield from _compared("sdist", names, package_files() | _BESIDES)


def _compared(archive: str, names: set[str], expected: set[str]) -> Iterator[str]:
    yield from (f"{archive}: {name} is missing" for name in sorted(expected - names))
    yield from (f"{archive}: {name} does not belong there" for name in sorted(names - expected))


def _of_metadata(archives: Archives) -> Iterator[str]:
    """Check the metadata by the rules of https://packaging.python.org/en/latest/specifications/core-metadata/."""
    try:
        metadata = Metadata.from_email(archives.metadata(), validate=True)
    except ExceptionGroup as invalid:
        yield from (f"metadata: {one}" for one in invalid.exceptions)
        return
    if f"## {metadata.version} " not in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"):
        yield f"CHANGELOG.md has no section for {metadata.version}"
    if metadata.description_content_type != "text/markdown" or not metadata.description:
        yield "metadata: the README is not the description"
    oldest = supported_pythons(archives)[0]
    if str(metadata.requires_python) != f">={oldest}":
        yield f"metadata: Requires-Python is {metadata.requires_python}, the oldest classifier is {oldest}"
