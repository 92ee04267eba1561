"""Catalogs whose tables nobody has declared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from kafkastream.sql.syntax.statements import CreateCatalog
from kafkastream.sql.table import TableDefinition

__all__ = ["FoundTables"]


class FoundTables(Protocol):
    """A catalog whose tables are there without ``CREATE TABLE``: they are only read."""

    @property
    def statement(self) -> CreateCatalog:
        """What created it."""
        ...

    @property
    def database(self) -> str:
        """The name of its one database."""
        ...

    def names(self) -> Sequence[str]:
        """The names of its tables."""
        ...

    def find(self, name: str) -> TableDefinition | None:
        """A table; None if there is none of this name."""
        ...
