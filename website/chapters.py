"""Chapters of a long page: on the site, each section of ``docs/support.md`` is a page of its own, for the search to find."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final, final

import attrs

from website.nav import ROOT

__all__ = ["LONG_PAGE", "Chapter", "chapters", "places_of_headings"]

LONG_PAGE: Final = "docs/support.md"
_SECTION: Final = re.compile(r"^(?=## )", re.MULTILINE)
_HEADING: Final = re.compile(r"^#+ (.*)$", re.MULTILINE)
_ON_THE_PAGE: Final = re.compile(r"\]\((?=#)")


@final
@attrs.frozen
class Chapter:
    """A part of the long page.

    Args:
        place: Path of its page on the site.
        text: Its Markdown, with links as on the long page.
    """

    place: str
    text: str

    @property
    def title(self) -> str:
        """The heading of the page."""
        return self.text.partition("\n")[0].removeprefix("# ")


def chapters() -> list[Chapter]:
    """Return the chapters of the long page; the first one is what comes before its sections, with links to them."""
    text = _ON_THE_PAGE.sub("](support.md", (ROOT / LONG_PAGE).read_text(encoding="utf-8"))
    top, *sections = _SECTION.split(text)
    parts = [Chapter(_place(section), re.sub(r"^#(?=#+ )", "", section, flags=re.MULTILINE)) for section in sections]
    links = "".join(f"- [{part.title}](support.md#{_slug(part.title)})\n" for part in parts)
    return [Chapter("support.md", f"{top}## Parts\n\n{links}"), *parts]


@cache
def places_of_headings() -> Mapping[str, str]:
    """Return the page of each heading of the long page, by its anchor."""
    return {_slug(heading): chapter.place for chapter in chapters() for heading in _HEADING.findall(chapter.text)}


def _place(section: str) -> str:
    title = section.partition("\n")[0].strip("# `")
    return f"support/{title.lower().replace(' ', '-')}.md"


def _slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-")
