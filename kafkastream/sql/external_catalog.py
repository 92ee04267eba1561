"""Protocol of catalogs whose tables are found, not declared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from kafkastream.sql.syntax.statements import CreateCatalog
from kafkastream.sql.table import TableDefinition

__all__ = ["ExternalCatalog"]


class ExternalCatalog(Protocol):
    """Catalog whose tables exist without ``CREATE TABLE``, such as the topics of a cluster; they are only read."""

    @property
    def statement(self) -> CreateCatalog:
        """Statement that created the catalog."""
        ...

    @property
    def database(self) -> str:
        """Name of the only database."""
        ...

    def names(self) -> Sequence[str]:
        """Return the names of the tables."""
        ...

    def find(self, name: str) -> TableDefinition | None:
        """Return a table; None if there is none of this name."""
        ...
