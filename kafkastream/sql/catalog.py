"""The tables and views of a session, by catalog, database and name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.sql.query.catalog import View
from kafkastream.sql.table import TableDefinition
from kafkastream.sql.table_options import did_you_mean

__all__ = ["DEFAULT_CATALOG", "DEFAULT_DATABASE", "Path", "SessionCatalog", "Stored", "anonymous", "name_of"]

DEFAULT_CATALOG: Final = "default_catalog"
DEFAULT_DATABASE: Final = "default_database"

_HIDDEN: Final = "*anonymous_"

Path = tuple[str, str, str]
"""Catalog, database and name."""
Stored = TableDefinition | View


def name_of(path: str) -> tuple[str, ...]:
    """A name as a program writes it, in its parts.

    Example:
        >>> name_of("default_database.`orders`")
        ('default_database', 'orders')
    """
    return tuple(path.replace("`", "").split("."))


def anonymous(what: str, number: int) -> str:
    """The name of a table to which the user has given none: it is in no list.

    Example:
        >>> anonymous("datastream_source", 1)
        '*anonymous_datastream_source$1*'
    """
    return f"{_HIDDEN}{what}${number}*"


@final
@attrs.define
class SessionCatalog:
    """What ``CREATE`` has made. Nothing of it outlives the session.

    Example:
        >>> catalog = SessionCatalog()
        >>> catalog.path(("orders",))
        ('default_catalog', 'default_database', 'orders')
    """

    current: tuple[str, str] = (DEFAULT_CATALOG, DEFAULT_DATABASE)
    _spaces: dict[str, dict[str, dict[str, Stored]]] = attrs.field(
        factory=lambda: {DEFAULT_CATALOG: {DEFAULT_DATABASE: {}}}
    )
    _temporary: dict[Path, Stored] = attrs.field(factory=dict)

    def path(self, name: tuple[str, ...]) -> Path:
        """A name in full."""
        catalog, database, own = (*self.current[: max(3 - len(name), 0)], *name)[-3:]
        return catalog, database, own

    def find(self, name: tuple[str, ...]) -> Stored | None:
        """What a name stands for; what is temporary hides what is not."""
        catalog, database, own = path = self.path(name)
        return self._temporary.get(path) or self._spaces.get(catalog, {}).get(database, {}).get(own)

    def get(self, name: tuple[str, ...], where: str) -> Stored:
        """The same.

        Raises:
            DefinitionError: There is nothing of this name.
        """
        found = self.find(name)
        if found is None:
            raise DefinitionError(
                f"Object '{'.'.join(name)}' not found", where=where, now=did_you_mean(name[-1], self.names())
            )
        return found

    def create(self, name: tuple[str, ...], thing: Stored, where: str, *, temporary: bool, if_not_exists: bool) -> None:
        """Keep a table or view.

        Raises:
            DefinitionError: There is one of this name, or no such database.
        """
        path = self.path(name)
        own, key = self._place(path, where, temporary=temporary)
        if key not in own:
            own[key] = thing
        elif not if_not_exists:
            raise DefinitionError(
                f"Temporary table '{'.'.join(path)}' already exists"
                if temporary
                else f"Table (or view) {'.'.join(path[1:])} already exists in Catalog {path[0]}.",
                where=where,
                now="DROP it first, or CREATE ... IF NOT EXISTS.",
            )

    def drop(self, name: tuple[str, ...], kind: type[Stored], where: str, *, temporary: bool, if_exists: bool) -> None:
        """Forget a table or view.

        Raises:
            DefinitionError: There is none of this kind and name.
        """
        path = self.path(name)
        own, key = self._place(path, where, temporary=temporary)
        what = "Table" if kind is TableDefinition else "View"
        if not temporary and path in self._temporary:
            raise DefinitionError(
                f"Temporary {what.lower()} with identifier '{'.'.join(path)}' exists. "
                f"Drop it first before removing the permanent {what.lower()}.",
                where=where,
                now=f"DROP TEMPORARY {what.upper()}",
            )
        if not isinstance(own.get(key), kind):
            if if_exists:
                return
            raise DefinitionError(
                f"{what} with identifier '{'.'.join(path)}' does not exist.",
                where=where,
                now=did_you_mean(name[-1], self.names()),
            )
        del own[key]

    def names(self, kind: type[Stored] | None = None) -> tuple[str, ...]:
        """The tables and views of the current database, and the temporary ones."""
        catalog, database = self.current
        here = self._spaces[catalog][database]
        temporary = {path[2]: thing for path, thing in self._temporary.items() if path[:2] == self.current}
        every: Iterator[tuple[str, Stored]] = iter({**here, **temporary}.items())
        known = ((name, thing) for name, thing in every if not name.startswith(_HIDDEN))
        return tuple(sorted(name for name, thing in known if kind is None or isinstance(thing, kind)))

    @property
    def catalogs(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(sorted(self._spaces))

    @property
    def databases(self) -> tuple[str, ...]:
        """The names of those in the current catalog."""
        return tuple(sorted(self._spaces[self.current[0]]))

    def create_database(self, name: tuple[str, ...], where: str, *, if_not_exists: bool) -> None:
        """Make a database.

        Raises:
            DefinitionError: There is one, or no such catalog.
        """
        catalog, own = (self.current[0], *name)[-2:]
        databases = self._catalog(catalog, where)
        if own in databases and not if_not_exists:
            raise DefinitionError(
                f"Database {own} already exists in Catalog {catalog}.", where=where, now="CREATE DATABASE IF NOT EXISTS"
            )
        databases.setdefault(own, {})

    def drop_database(self, name: tuple[str, ...], where: str, *, if_exists: bool, cascade: bool) -> None:
        """Forget a database.

        Raises:
            DefinitionError: There is none, it is in use, or has tables.
        """
        catalog, own = (self.current[0], *name)[-2:]
        databases = self._catalog(catalog, where)
        if own not in databases and if_exists:
            return
        tables = self._database((catalog, own), where)
        if (catalog, own) == self.current:
            raise DefinitionError("Cannot drop a database which is currently in use.", where=where, now="USE another.")
        if tables and not cascade:
            raise DefinitionError(
                f"Database {own} in catalog {catalog} is not empty.", where=where, now="DROP DATABASE ... CASCADE"
            )
        del databases[own]

    def use(self, database: tuple[str, ...], where: str) -> None:
        """Have names without a database stand for what is in this one.

        Raises:
            DefinitionError: There is none.
        """
        catalog, own = (self.current[0], *database)[-2:]
        self._database((catalog, own), where)
        self.current = (catalog, own)

    def use_catalog(self, name: str, where: str) -> None:
        """Have names without a catalog stand for what is in this one.

        Raises:
            DefinitionError: There is none.
        """
        self.current = (name, next(iter(self._catalog(name, where))))

    def _place(self, path: Path, where: str, *, temporary: bool) -> tuple[dict[Any, Stored], Any]:
        """What a thing is kept in, and under which key."""
        return (self._temporary, path) if temporary else (self._database(path[:2], where), path[2])

    def _catalog(self, name: str, where: str) -> dict[str, dict[str, Stored]]:
        if name not in self._spaces:
            raise DefinitionError(
                f"A catalog with name [{name}] does not exist.", where=where, now=did_you_mean(name, self._spaces)
            )
        return self._spaces[name]

    def _database(self, path: tuple[str, str], where: str) -> dict[str, Stored]:
        databases = self._catalog(path[0], where)
        if path[1] not in databases:
            raise DefinitionError(
                f"A database with name [{path[1]}] does not exist in the catalog: [{path[0]}].",
                where=where,
                now=did_you_mean(path[1], databases),
            )
        return databases[path[1]]
