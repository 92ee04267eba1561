"""Names of objects in catalogs, at PyFlink's path."""

from __future__ import annotations

from typing import final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.sql.quoting import quoted

__all__ = ["ObjectIdentifier", "ObjectPath"]


@final
@attrs.frozen
class ObjectPath:
    """Database and name of an object.

    Example:
        >>> str(ObjectPath.from_string("sales.orders"))
        'sales.orders'
    """

    database_name: str
    object_name: str

    @staticmethod
    def from_string(full_name: str) -> ObjectPath:
        """Parse ``full_name``: a database and a name, separated by a dot.

        Raises:
            DefinitionError: The text has not two parts.
        """
        parts = full_name.split(".")
        if len(parts) != len(attrs.fields(ObjectPath)):
            raise DefinitionError(
                f"Cannot split '{full_name}' to get databaseName and objectName", now="Give database.name."
            )
        return ObjectPath(*parts)

    fromString = from_string

    def get_database_name(self) -> str:
        """Return the database."""
        return self.database_name

    getDatabaseName = get_database_name

    def get_object_name(self) -> str:
        """Return the name in the database."""
        return self.object_name

    getObjectName = get_object_name

    def get_full_name(self) -> str:
        """Return database and name, separated by a dot."""
        return f"{self.database_name}.{self.object_name}"

    getFullName = get_full_name

    def __str__(self) -> str:
        return self.get_full_name()


@final
@attrs.frozen
class ObjectIdentifier:
    """Catalog, database and name of an object.

    Example:
        >>> print(ObjectIdentifier.of("default_catalog", "default_database", "orders"))
        `default_catalog`.`default_database`.`orders`
    """

    catalog_name: str
    database_name: str
    object_name: str

    @staticmethod
    def of(catalog_name: str, database_name: str, object_name: str) -> ObjectIdentifier:
        """Return the identifier of an object.

        Args:
            catalog_name: Name of the catalog.
            database_name: Name of the database in the catalog.
            object_name: Name of the object in the database.
        """
        return ObjectIdentifier(catalog_name, database_name, object_name)

    def get_catalog_name(self) -> str:
        """Return the catalog."""
        return self.catalog_name

    getCatalogName = get_catalog_name

    def get_database_name(self) -> str:
        """Return the database."""
        return self.database_name

    getDatabaseName = get_database_name

    def get_object_name(self) -> str:
        """Return the name in the database."""
        return self.object_name

    getObjectName = get_object_name

    def to_object_path(self) -> ObjectPath:
        """Return database and name without the catalog."""
        return ObjectPath(self.database_name, self.object_name)

    toObjectPath = to_object_path

    def to_list(self) -> list[str]:
        """Return the three parts."""
        return [self.catalog_name, self.database_name, self.object_name]

    toList = to_list

    def as_serializable_string(self) -> str:
        """Return the parts as SQL writes them."""
        return quoted(*self.to_list())

    asSerializableString = as_serializable_string

    def as_summary_string(self) -> str:
        """Return the parts, separated by dots."""
        return ".".join(self.to_list())

    asSummaryString = as_summary_string

    def __str__(self) -> str:
        return self.as_serializable_string()
