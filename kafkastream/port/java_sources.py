"""Java files of a program: those that are named, and those of the same project that they use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from kafkastream.errors import DefinitionError
from kafkastream.port.java_nodes import JavaFile
from kafkastream.port.reading import read_file

__all__ = ["files_of"]

_REFUSED: Final = {".kt": "Kotlin", ".kts": "Kotlin", ".scala": "Scala", ".py": "Python"}


def files_of(paths: Iterable[Path]) -> list[JavaFile]:
    """Read Java files and those that they use, as their imports and packages lead to them.

    Raises:
        DefinitionError: A file is not Java, or there is none.
    """
    found: dict[Path, JavaFile] = {}
    waiting = [_checked(path) for path in paths]
    while waiting:
        path = waiting.pop(0)
        if path not in found:
            found[path] = read_file(path)
            waiting.extend(_used(path, found[path]))
    return list(found.values())


def _checked(path: Path) -> Path:
    language = _REFUSED.get(path.suffix)
    if language is not None:
        raise DefinitionError(
            f"{path.name} is {language}: only Java is ported", now="Port it by hand, by docs/porting/from-pyflink.md."
        )
    if not path.is_file():
        raise DefinitionError(f"there is no file {path}")
    return path.resolve()


def _used(path: Path, file: JavaFile) -> Iterator[Path]:
    """Files of the project that a file imports, and those of its package that it names."""
    depth = file.package.count(".") + 1 if file.package else 0
    root = path.parents[depth] if depth < len(path.parents) else path.parent
    roots = _roots(root)
    for imported in file.imports:
        yield from _below(roots, imported)
    names = set(re.findall(r"\b[A-Z]\w*", file.text))
    yield from (one for one in sorted(path.parent.glob("*.java")) if one.stem in names and one != path)


def _roots(root: Path) -> list[Path]:
    """Source folders of the project, of all its modules."""
    parts = root.parts
    if "src" not in parts:
        return [root]
    module = Path(*parts[: len(parts) - parts[::-1].index("src") - 1])
    around = [one for folder in (module.parent, module.parent.parent) for one in sorted(folder.glob("*/src/main/java"))]
    return [root, module / "src" / "main" / "java", *(one for one in around if module not in one.parents)]


def _below(roots: Iterable[Path], imported: str) -> Iterator[Path]:
    parts = imported.removesuffix(".*").split(".")
    for root in roots:
        for length in (len(parts), len(parts) - 1):
            file = root.joinpath(*parts[:length]).with_suffix(".java")
            if length and file.is_file():
                yield file
                return
