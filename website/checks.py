"""Checks the built site: ``python -m website.checks FOLDER``.

Each link within the site leads to a page and an anchor that exist, no page makes a browser ask another host, and the
API reference shows public paths only, in Python's spelling.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Final, final
from urllib.parse import unquote, urlsplit

import attrs

__all__ = ["faults"]

_LOADED: Final = {"img": "src", "script": "src", "iframe": "src", "source": "src", "link": "href"}
_NOT_LOADED: Final = frozenset({"canonical", "next", "prev", "alternate", "edit"})
_JAVA_SPELLING: Final = re.compile(r"kafkastream\.[\w.]*\.[a-z0-9]+[A-Z]\w*")
_PRIVATE: Final = re.compile(r"\bkafkastream\.(?:cdc|kafka|model|operators|options|page|postgres|spark|sql)\.[\w.]+")


@final
@attrs.frozen
class Page:
    """What a page of HTML refers to, and can be referred to by.

    Args:
        file: The page.
        loaded: Addresses that a browser asks for when it shows the page.
        links: Addresses of the page's links.
        anchors: Ids of its elements.
        text: Its words, with those that show when the mouse rests on an element.
    """

    file: Path
    loaded: list[str] = attrs.field(factory=list)
    links: list[str] = attrs.field(factory=list)
    anchors: set[str] = attrs.field(factory=set)
    text: list[str] = attrs.field(factory=list)


@final
class _Reader(HTMLParser):
    """Reads a page."""

    def __init__(self, page: Page) -> None:
        super().__init__()
        self._page = page

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value is not None}
        if "id" in given:
            self._page.anchors.add(given["id"])
        if tag == "a" and "href" in given:
            self._page.links.append(given["href"])
        if _LOADED.get(tag) in given and given.get("rel") not in _NOT_LOADED:
            self._page.loaded.append(given[_LOADED[tag]])
        self._page.text.append(given.get("title", ""))

    def handle_data(self, data: str) -> None:
        self._page.text.append(data)


def faults(site: Path) -> list[str]:
    """Return a line for each fault of a built site."""
    files = sorted(site.rglob("*.html"))
    if not files:
        return [f"{site} has no pages"]
    return [f"{file.relative_to(site)}: {fault}" for file in files for fault in _faults_of(_read(file), site)]


@cache
def _read(file: Path) -> Page:
    page = Page(file)
    _Reader(page).feed(file.read_text(encoding="utf-8"))
    return page


def _faults_of(page: Page, site: Path) -> Iterator[str]:
    yield from (f"asks another host for {address}" for address in page.loaded if not _is_own(address))
    own = filter(_is_own, (*page.loaded, *page.links))
    yield from (f"leads nowhere: {address}" for address in own if not _leads_somewhere(address, page, site))
    if page.file.is_relative_to(site / "reference"):
        yield from (
            f"repeats {anchor} in Java's spelling" for anchor in page.anchors if _JAVA_SPELLING.fullmatch(anchor)
        )
        yield from sorted({f"shows the private path {path}" for path in _PRIVATE.findall(" ".join(page.text))})


def _is_own(address: str) -> bool:
    parts = urlsplit(address)
    return not parts.scheme and not parts.netloc


def _leads_somewhere(address: str, page: Page, site: Path) -> bool:
    parts = urlsplit(address)
    base = site if parts.path.startswith("/") else page.file.parent
    target = (base / unquote(parts.path).lstrip("/")).resolve() if parts.path else page.file
    target = target / "index.html" if target.is_dir() else target
    anchor = unquote(parts.fragment)
    return target.is_file() and (not anchor or target.suffix != ".html" or anchor in _read(target).anchors)


if __name__ == "__main__":
    found = faults(Path(sys.argv[1]).resolve())
    sys.stderr.writelines(f"{fault}\n" for fault in found)
    sys.exit(bool(found))
