"""Catalog API, at PyFlink's path: names and resolved schemas are values, what else there is says what works instead."""

from __future__ import annotations

from typing import Final

from kafkastream.model.common.stand_ins import StandIn
from kafkastream.model.job.configuration import Configuration
from kafkastream.table.catalog_descriptor import CatalogDescriptor
from kafkastream.table.object_paths import ObjectIdentifier, ObjectPath
from kafkastream.table.resolved_columns import Column, ComputedColumn, MetadataColumn, PhysicalColumn
from kafkastream.table.resolved_schema import Constraint, ResolvedSchema, UniqueConstraint, WatermarkSpec
from kafkastream.table.schema import Schema
from kafkastream.table.table_schema import TableSchema

__all__ = [
    "Catalog",
    "CatalogBaseTable",
    "CatalogColumnStatistics",
    "CatalogDatabase",
    "CatalogDescriptor",
    "CatalogFunction",
    "CatalogModel",
    "CatalogPartition",
    "CatalogPartitionSpec",
    "CatalogTableStatistics",
    "Column",
    "ComputedColumn",
    "Configuration",
    "Constraint",
    "HiveCatalog",
    "JdbcCatalog",
    "MetadataColumn",
    "ObjectIdentifier",
    "ObjectPath",
    "PhysicalColumn",
    "Procedure",
    "ResolvedSchema",
    "Schema",
    "TableSchema",
    "UniqueConstraint",
    "WatermarkSpec",
]

_INSTEAD: Final = "Declare tables with CREATE TABLE or TableDescriptor, or use the catalog of Kafka topics."


class Catalog(StandIn, instead=_INSTEAD):
    """Catalog of databases, tables and functions."""


class CatalogBaseTable(StandIn, instead=_INSTEAD):
    """Table or view in a catalog."""


class CatalogColumnStatistics(StandIn, instead=_INSTEAD):
    """Statistics of columns."""


class CatalogDatabase(StandIn, instead=_INSTEAD):
    """Database in a catalog."""


class CatalogFunction(StandIn, instead=_INSTEAD):
    """Function in a catalog."""


class CatalogModel(StandIn, instead=_INSTEAD):
    """Model in a catalog."""


class CatalogPartition(StandIn, instead=_INSTEAD):
    """Partition of a table."""


class CatalogPartitionSpec(StandIn, instead=_INSTEAD):
    """Key of a partition."""


class CatalogTableStatistics(StandIn, instead=_INSTEAD):
    """Statistics of a table."""


class HiveCatalog(StandIn, instead=_INSTEAD):
    """Catalog in a Hive metastore."""


class JdbcCatalog(StandIn, instead=_INSTEAD):
    """Catalog of a relational database."""


class Procedure(StandIn, instead=_INSTEAD):
    """Stored procedure."""
