"""Tables of a builder's methods, at the end of its page, made of the page of what is supported."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import final

import attrs

from tests.docs.placed_table import DOCS, PlacedTable

__all__ = ["DOCS", "BuilderTable"]

ROW = re.compile(r"^\| (?P<names>`.*?`) \| (?P<status>\w[\w ]*) \|(?P<note>.*)\|$", re.MULTILINE)
ABSENT = "-"


@final
@attrs.frozen
class BuilderTable:
    """The methods of a builder: here, in PyFlink, in Java.

    Args:
        page: The page that it stands on.
        mark: The comment before it.
        built: The class that is built; its builder has its name and ``Builder``.
    """

    page: Path
    mark: str
    built: str

    @property
    def text(self) -> str:
        """The table as it has to be."""
        return "".join(f"{line}\n" for line in self._lines())

    @property
    def written(self) -> str:
        """The table as it stands on the page."""
        return self._place.written

    def write(self) -> None:
        """Write it anew."""
        self._place.write(self.text)

    def lacking(self, builder: type) -> set[str]:
        """The methods of a builder that the table does not have."""
        methods = {name for name in vars(builder) if re.fullmatch(r"[a-z]+(_[a-z]+)*", name)}
        methods -= {_camel_case(name) for name in methods if "_" in name}
        return methods - set(re.findall(r"^\| `(\w+)`", self.text, re.MULTILINE))

    @property
    def _place(self) -> PlacedTable:
        return PlacedTable(self.page, self.mark)

    def _lines(self) -> Iterator[str]:
        yield "| Here | PyFlink | Java | Status |"
        yield "|---|---|---|---|"
        for row in ROW.finditer((DOCS / "support.md").read_text(encoding="utf-8")):
            for name in re.findall(rf"`{self.built}(?:Builder)?\.(\w+)`", row["names"]):
                here = ABSENT if row["status"] == "not yet" else f"`{name}`"
                lacks = "Flink lacks" in row["note"] or row["status"] == "not yet"
                java = ABSENT if "An extension, Flink lacks" in row["note"] else f"`{_camel_case(name)}`"
                yield f"| {here} | {ABSENT if lacks else f'`{name}`'} | {java} | {row['status']} |"


def _camel_case(name: str) -> str:
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)
