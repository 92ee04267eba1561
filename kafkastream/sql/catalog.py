"""The tables and views of a session, by catalog, database and name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, Protocol, final

import attrs

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.sql.plan.planning_catalog import View
from kafkastream.sql.syntax.statements import CreateCatalog
from kafkastream.sql.table import TableDefinition
from kafkastream.sql.table_options import did_you_mean

__all__ = ["ExternalCatalog", "Path", "SessionCatalog", "Stored", "anonymous", "name_of"]

_DEFAULT_CATALOG: Final = "default_catalog"
_DEFAULT_DATABASE: Final = "default_database"

_HIDDEN: Final = "*anonymous_"
_MOST_PARTS: Final = 3
_PART: Final = r"(`[^`]+`|[^.`]+)"

Path = tuple[str, str, str]
"""Catalog, database and name."""
Stored = TableDefinition | View


def name_of(path: str) -> tuple[str, ...]:
    """Parse a name of one to three parts, as programs write it.

    Raises:
        DefinitionError: The name or a part of it is empty.

    Example:
        >>> name_of("c.kafka.`shop.orders`")
        ('c', 'kafka', 'shop.orders')
    """
    if re.fullmatch(rf"{_PART}(\.{_PART})*", path) is None:
        raise DefinitionError(
            f"{path!r} is not a name", now="Separate the parts of a name by dots; put a part with a dot in backticks."
        )
    return tuple(quoted or plain for quoted, plain in re.findall(r"`([^`]+)`|([^.`]+)", path))


def anonymous(what: str, number: int) -> str:
    """Return the name of an anonymous table, which ``SHOW TABLES`` does not list.

    Example:
        >>> anonymous("datastream_source", 1)
        '*anonymous_datastream_source$1*'
    """
    return f"{_HIDDEN}{what}${number}*"


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


@final
@attrs.define
class SessionCatalog:
    """Catalogs, databases, tables and views of a session, in memory.

    Example:
        >>> catalog = SessionCatalog()
        >>> catalog.path(("orders",))
        ('default_catalog', 'default_database', 'orders')
    """

    current: tuple[str, str] = (_DEFAULT_CATALOG, _DEFAULT_DATABASE)
    _spaces: dict[str, dict[str, dict[str, Stored]]] = attrs.field(
        factory=lambda: {_DEFAULT_CATALOG: {_DEFAULT_DATABASE: {}}}
    )
    _temporary: dict[Path, Stored] = attrs.field(factory=dict)
    _found: dict[str, ExternalCatalog] = attrs.field(factory=dict)

    def copy(self) -> SessionCatalog:
        """Return a copy with the same content, independent of later changes."""
        spaces = {
            catalog: {database: dict(things) for database, things in databases.items()}
            for catalog, databases in self._spaces.items()
        }
        return attrs.evolve(self, spaces=spaces, temporary=dict(self._temporary), found=dict(self._found))

    def path(self, name: tuple[str, ...]) -> Path:
        """Return a name with catalog and database.

        Raises:
            DefinitionError: The name has no parts, or more than three.
        """
        if not 0 < len(name) <= _MOST_PARTS:
            raise DefinitionError(
                f"{'.'.join(name)!r} is not a name: it has {len(name)} parts",
                now="Give a name, or database.name, or catalog.database.name; put a part with a dot in backticks.",
            )
        catalog, database, own = (*self.current[: max(3 - len(name), 0)], *name)[-3:]
        return catalog, database, own

    def find(self, name: tuple[str, ...]) -> Stored | None:
        """Return a table or view by name; None if there is none. A temporary one hides a permanent one."""
        catalog, database, own = path = self.path(name)
        if path in self._temporary:
            return self._temporary[path]
        if catalog in self._found:
            found = self._found[catalog]
            return found.find(own) if database == found.database else None
        return self._spaces.get(catalog, {}).get(database, {}).get(own)

    def get(self, name: tuple[str, ...], where: str) -> Stored:
        """Return a table or view by name, as ``find`` does.

        Raises:
            DefinitionError: There is no table or view of this name.
        """
        found = self.find(name)
        if found is None:
            raise DefinitionError(
                f"Object '{'.'.join(name)}' not found", where=where, now=did_you_mean(name[-1], self.names())
            )
        return found

    def check_writable(self, name: tuple[str, ...], where: str) -> None:
        """Check that rows may be inserted into a table.

        Raises:
            UnsupportedFeatureError: The table is in a read-only catalog.
        """
        path = self.path(name)
        if path[0] in self._found and path not in self._temporary:
            raise self._only_read(path[0], where)

    def create(self, name: tuple[str, ...], thing: Stored, where: str, *, temporary: bool, if_not_exists: bool) -> None:
        """Add a table or view.

        Raises:
            DefinitionError: The name is taken, or the database does not exist.
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

    def drop(self, name: tuple[str, ...], kind: type[Stored], where: str, *, temporary: bool, if_exists: bool) -> bool:
        """Drop a table or view; return whether there was one.

        Raises:
            DefinitionError: There is no object of this kind and name.
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
                return False
            raise DefinitionError(
                f"{what} with identifier '{'.'.join(path)}' does not exist.",
                where=where,
                now=did_you_mean(name[-1], self.names()),
            )
        del own[key]
        return True

    def names(self, kind: type[Stored] | None = None) -> tuple[str, ...]:
        """Return the tables and views of the current database, and the temporary ones."""
        catalog, database = self.current
        temporary = {path[2] for path in self._temporary if path[:2] == self.current}
        if catalog in self._found:
            here = set(() if kind is View else self._found[catalog].names())
        else:
            here = {name for name, thing in self._spaces[catalog][database].items() if _is(thing, kind)}
        return tuple(sorted((here - temporary) | set(self.temporary_names(kind))))

    def temporary_names(self, kind: type[Stored] | None = None) -> tuple[str, ...]:
        """Return the temporary tables and views of the current database."""
        here = {path[2]: thing for path, thing in self._temporary.items() if path[:2] == self.current}
        return tuple(sorted(name for name, thing in here.items() if _is(thing, kind) and not name.startswith(_HIDDEN)))

    @property
    def catalogs(self) -> tuple[str, ...]:
        """Return the names of the catalogs."""
        return tuple(sorted([*self._spaces, *self._found]))

    @property
    def databases(self) -> tuple[str, ...]:
        """Return the names of the databases in the current catalog."""
        return tuple(sorted(self._databases(self.current[0], "")))

    def add_catalog(self, catalog: ExternalCatalog, where: str, *, if_not_exists: bool) -> None:
        """Add a catalog.

        Raises:
            DefinitionError: A catalog of this name exists.
        """
        name = catalog.statement.name[-1]
        if name not in self.catalogs:
            self._found[name] = catalog
        elif not if_not_exists:
            raise DefinitionError(f"Catalog {name} already exists.", where=where, now="CREATE CATALOG IF NOT EXISTS")

    def catalog(self, name: str, where: str) -> ExternalCatalog:
        """Return an external catalog.

        Raises:
            DefinitionError: There is none.
            UnsupportedFeatureError: It is the session's own.
        """
        self._databases(name, where)
        if name in self._spaces:
            raise UnsupportedFeatureError(
                f"the catalog {name} is the session's own, which no statement has created",
                where=where,
                now="SHOW CREATE TABLE shows its tables.",
            )
        return self._found[name]

    def drop_catalog(self, name: str, where: str, *, if_exists: bool) -> None:
        """Drop a catalog; its topics stay.

        Raises:
            DefinitionError: The catalog does not exist, or is in use.
            UnsupportedFeatureError: It is the session's own.
        """
        if name not in self.catalogs and if_exists:
            return
        self.catalog(name, where)
        if name == self.current[0]:
            raise DefinitionError(
                "Cannot drop a catalog which is currently in use.", where=where, now=f"USE CATALOG {_DEFAULT_CATALOG}"
            )
        del self._found[name]

    def create_database(self, name: tuple[str, ...], where: str, *, if_not_exists: bool) -> None:
        """Create a database.

        Raises:
            DefinitionError: The database exists, or its catalog does not.
        """
        catalog, own = (self.current[0], *name)[-2:]
        databases = self._catalog(catalog, where)
        if own in databases and not if_not_exists:
            raise DefinitionError(
                f"Database {own} already exists in Catalog {catalog}.", where=where, now="CREATE DATABASE IF NOT EXISTS"
            )
        databases.setdefault(own, {})

    def drop_database(self, name: tuple[str, ...], where: str, *, if_exists: bool, cascade: bool) -> None:
        """Drop a database.

        Raises:
            DefinitionError: The database does not exist, is in use, or has tables.
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
        """Set the current database, for names without one.

        Raises:
            DefinitionError: There is none.
        """
        catalog, own = (self.current[0], *database)[-2:]
        self._must_have((catalog, own), where)
        self.current = (catalog, own)

    def use_catalog(self, name: str, where: str) -> None:
        """Set the current catalog, for names without one.

        Raises:
            DefinitionError: There is none.
        """
        self.current = (name, self._databases(name, where)[0])

    def _place(self, path: Path, where: str, *, temporary: bool) -> tuple[dict[Any, Stored], Any]:
        """Return the dictionary of a table or view, and its key; temporary objects have a dictionary of their own."""
        return (self._temporary, path) if temporary else (self._database(path[:2], where), path[2])

    def _databases(self, catalog: str, where: str) -> Sequence[str]:
        """Return the names of a catalog's databases."""
        if catalog in self._found:
            return (self._found[catalog].database,)
        if catalog not in self._spaces:
            raise DefinitionError(
                f"A catalog with name [{catalog}] does not exist.",
                where=where,
                now=did_you_mean(catalog, self.catalogs),
            )
        return tuple(self._spaces[catalog])

    def _must_have(self, path: tuple[str, str], where: str) -> None:
        """Check that a database exists."""
        databases = self._databases(path[0], where)
        if path[1] not in databases:
            raise DefinitionError(
                f"A database with name [{path[1]}] does not exist in the catalog: [{path[0]}].",
                where=where,
                now=did_you_mean(path[1], databases),
            )

    def _catalog(self, name: str, where: str) -> dict[str, dict[str, Stored]]:
        """Return the databases of a catalog, with their content, if the catalog can be changed."""
        self._databases(name, where)
        if name in self._found:
            raise self._only_read(name, where)
        return self._spaces[name]

    def _database(self, path: tuple[str, str], where: str) -> dict[str, Stored]:
        databases = self._catalog(path[0], where)
        self._must_have(path, where)
        return databases[path[1]]

    def _only_read(self, catalog: str, where: str) -> UnsupportedFeatureError:
        return UnsupportedFeatureError(
            f"the catalog {catalog} can only be read",
            where=where,
            now=f"CREATE TABLE {_DEFAULT_CATALOG}.{_DEFAULT_DATABASE}.t LIKE {catalog}.{self._found[catalog].database}.topic "
            "makes a table of your own of it; CREATE TEMPORARY TABLE works here, too.",
        )


def _is(thing: Stored, kind: type[Stored] | None) -> bool:
    return kind is None or isinstance(thing, kind)
