"""The page of what is supported lists the stand-ins; run as a module, this writes the table."""

from __future__ import annotations

import importlib
from collections import defaultdict
from types import ModuleType

import kafkastream
from kafkastream.model.common.stand_ins import instead_of
from tests.docs.placed_table import DOCS, PlacedTable
from tests.package import modules_of

TABLE = PlacedTable(DOCS / "support.md", "<!-- Made by tests/docs/test_stand_ins.py -->")
PACKAGES = tuple(f"kafkastream.{door}" for door in ("common", "datastream", "metrics", "table"))


def modules() -> list[ModuleType]:
    """PyFlink's paths."""
    found = sorted(name for package in PACKAGES for name in modules_of(package))
    return [*map(importlib.import_module, (*PACKAGES, *found))]


def table() -> str:
    """A row for each module and the alternative to its classes."""
    rows = defaultdict(list)
    for module in modules():
        for name in getattr(module, "__all__", ()):
            stands = getattr(module, name)
            if (instead := instead_of(stands)) and stands.__module__ == module.__name__:
                rows[module.__name__, instead].append(f"`{name}`")
    lines = [f"| `{module}` | {', '.join(names)} | {instead} |\n" for (module, instead), names in sorted(rows.items())]
    return "| Module | Name | Instead |\n|---|---|---|\n" + "".join(lines)


def test_page_lists_all_stand_ins() -> None:
    assert TABLE.written == table()


def test_each_has_something_instead() -> None:
    assert "CachedDataStream" in table()
    assert instead_of(kafkastream.KafkaSource) is None


if __name__ == "__main__":
    TABLE.write(table())
