"""Lays out the pages of the site: ``python -m website.pages FOLDER``.

Links keep their meaning: one to a page of ``docs/`` leads to that page, and one to any other file of the repository
leads to a page with the file's text, so that a link that works in the repository also works on the site.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final, final

import attrs

from website.chapters import LONG_PAGE, Chapter, chapters, places_of_headings
from website.nav import ROOT

__all__ = ["lay_out"]

_MOVED: Final = {"README.md": "index.md", "CHANGELOG.md": "changes.md"}
_CODE: Final = re.compile(r"^(?P<fence>```+)\w*\n.*?^(?P=fence)$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_COMMENT: Final = re.compile(r"^<!--.*?-->$", re.MULTILINE)
_LINK: Final = re.compile(r"\]\((?P<path>[^)#:\s]+)(?P<heading>#[\w-]+)?\)")
_NESTED: Final = re.compile(r"^  (?=- )", re.MULTILINE)  # which Python-Markdown nests from four spaces on
_LANGUAGES: Final = {".py": "python", ".sql": "sql", ".yaml": "yaml"}


@final
@attrs.frozen
class Layout:
    """The pages laid out so far.

    Args:
        folder: Where they are written.
        sources: Files and folders of the repository that pages link to, each of which has a page with its text.
    """

    folder: Path
    sources: set[str] = attrs.field(factory=set)

    def add(self, page: Path) -> None:
        """Write a Markdown file of the repository as a page."""
        source = page.relative_to(ROOT).as_posix()
        parts = chapters() if source == LONG_PAGE else [Chapter(_place(source), page.read_text(encoding="utf-8"))]
        for part in parts:
            self._write(part.place, self._on_the_site(part, source))

    def add_sources(self) -> None:
        """Write a page for each file and folder that pages link to."""
        for source in sorted(self.sources):
            path = ROOT / source
            files = sorted(_listed(path)) if path.is_dir() else [path]
            if path.is_dir():
                self._write(_place(source), _contents(path, files))
            for file in files:
                self._write(_place(file.relative_to(ROOT).as_posix()), _listing(file))

    def _on_the_site(self, part: Chapter, source: str) -> str:
        """Return the text of a page without hidden comments, its links leading to pages of the site."""
        parts, end = [], 0
        for code in _CODE.finditer(part.text):
            parts += [self._linked(part.text[end : code.start()], part, source), code[0]]
            end = code.end()
        return "".join([*parts, self._linked(part.text[end:], part, source)])

    def _linked(self, prose: str, part: Chapter, source: str) -> str:
        return _LINK.sub(lambda link: self._link(link, part, source), _NESTED.sub("    ", _COMMENT.sub("", prose)))

    def _link(self, link: re.Match[str], part: Chapter, source: str) -> str:
        target = os.path.normpath(PurePosixPath(source).parent / link["path"])
        if not target.startswith("docs/") and target not in _MOVED:
            self.sources.add(target)
        heading = link["heading"] or ""
        there = places_of_headings()[heading[1:]] if heading and target == LONG_PAGE else _place(target)
        return f"]({os.path.relpath(there, PurePosixPath(part.place).parent)}{heading})"

    def _write(self, place: str, text: str) -> None:
        file = self.folder / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def lay_out(folder: Path) -> None:
    """Write all pages but those of the API reference into an empty folder."""
    shutil.copytree(ROOT / "docs", folder, ignore=shutil.ignore_patterns("*.md"), dirs_exist_ok=True)
    shutil.copytree(ROOT / "website" / "assets", folder / "assets")
    layout = Layout(folder)
    for page in (*(ROOT / name for name in _MOVED), *sorted((ROOT / "docs").rglob("*.md"))):
        layout.add(page)
    layout.add_sources()


def _place(source: str) -> str:
    """Return the path on the site of a file or folder of the repository."""
    if source.startswith("docs/"):
        return source.removeprefix("docs/")
    return _MOVED.get(source, f"files/{source}.md")


def _listed(folder: Path) -> Iterator[Path]:
    return (file for file in folder.rglob("*") if file.suffix in _LANGUAGES and file.name != "__init__.py")


def _listing(file: Path) -> str:
    """Return a page with the text of a file."""
    name, text = file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8")
    return f"# {name}\n\n````{_LANGUAGES.get(file.suffix, 'text')}\n{text.rstrip()}\n````\n"


def _contents(folder: Path, files: list[Path]) -> str:
    """Return a page with a row for each file of a folder: its name, and the sentence at its top."""
    rows = [
        f"| [{name}]({folder.name}/{name}.md) | {_first_sentence(folder / name)} |\n" for name in _names(folder, files)
    ]
    return f"# {folder.name.capitalize()}\n\n| File | Content |\n|---|---|\n{''.join(rows)}"


def _names(folder: Path, files: list[Path]) -> list[str]:
    return [file.relative_to(folder).as_posix() for file in files]


def _first_sentence(file: Path) -> str:
    """Return the first line of a docstring or comment, without what marks it."""
    line = file.read_text(encoding="utf-8").partition("\n")[0]
    return line.strip('r"#- ').rstrip(".:")


if __name__ == "__main__":
    lay_out(Path(sys.argv[1]))
