"""The contents of the site, as ``mkdocs.yml`` lists them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml

__all__ = ["ROOT", "nav_modules", "nav_pages"]

ROOT: Final = Path(__file__).parents[1]


class _Loader(yaml.SafeLoader):
    """Loader that skips the Python objects among the settings of Markdown extensions."""


_Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)


def nav_pages() -> list[str]:
    """Paths of all pages of the contents, from the root of the site, in their order."""
    settings = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), _Loader)  # noqa: S506 - a SafeLoader
    return list(_leaves(settings["nav"]))


def nav_modules() -> list[str]:
    """Names of the modules that the API reference describes."""
    return [page[len("reference/") : -len(".md")] for page in nav_pages() if page.startswith("reference/")]


def _leaves(entry: Any) -> Iterator[str]:
    match entry:
        case str():
            yield entry
        case list():
            for one in entry:
                yield from _leaves(one)
        case dict():
            for one in entry.values():
                yield from _leaves(one)
