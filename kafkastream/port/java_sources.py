"""Java files of a program: the given files, and the files of the same project that they use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from kafkastream.errors import DefinitionError
from kafkastream.port.java_nodes import JavaFile
from kafkastream.port.reading import read_file

__all__ = ["read_program_files"]

_OTHER_LANGUAGES: Final = {".kt": "Kotlin", ".kts": "Kotlin", ".scala": "Scala", ".py": "Python"}


def read_program_files(paths: Iterable[Path]) -> list[JavaFile]:
    """Read Java files, and the files that they use, found by imports and packages.

    Raises:
        DefinitionError: A file is not Java, or there is none.
    """
    files: dict[Path, JavaFile] = {}
    waiting = [_check_java_file(path) for path in paths]
    while waiting:
        path = waiting.pop(0)
        if path not in files:
            files[path] = read_file(path)
            waiting.extend(_used_files(path, files[path]))
    return list(files.values())


def _check_java_file(path: Path) -> Path:
    language = _OTHER_LANGUAGES.get(path.suffix)
    if language is not None:
        raise DefinitionError(
            f"{path.name} is {language}: only Java is ported", now="Port it by hand, by docs/porting/from-pyflink.md."
        )
    if not path.is_file():
        raise DefinitionError(f"there is no file {path}")
    return path.resolve()


def _used_files(path: Path, file: JavaFile) -> Iterator[Path]:
    """Yield the project's files that a file imports, and the files of its package whose class names it mentions."""
    depth = file.package.count(".") + 1 if file.package else 0
    root = path.parents[depth] if depth < len(path.parents) else path.parent
    roots = _source_roots(root)
    for imported in file.imports:
        yield from _imported_file(roots, imported)
    names = set(re.findall(r"\b[A-Z]\w*", file.text))
    yield from (file for file in sorted(path.parent.glob("*.java")) if file.stem in names and file != path)


def _source_roots(root: Path) -> list[Path]:
    """Return the source folders of the project, of all its Maven or Gradle modules."""
    parts = root.parts
    if "src" not in parts:
        return [root]
    module = Path(*parts[: len(parts) - parts[::-1].index("src") - 1])
    other_modules = [
        folder_of_sources
        for folder in (module.parent, module.parent.parent)
        for folder_of_sources in sorted(folder.glob("*/src/main/java"))
    ]
    return [
        root,
        module / "src" / "main" / "java",
        *(source_folder for source_folder in other_modules if module not in source_folder.parents),
    ]


def _imported_file(roots: Iterable[Path], imported: str) -> Iterator[Path]:
    parts = imported.removesuffix(".*").split(".")
    for root in roots:
        for length in (len(parts), len(parts) - 1):
            file = root.joinpath(*parts[:length]).with_suffix(".java")
            if length and file.is_file():
                yield file
                return
