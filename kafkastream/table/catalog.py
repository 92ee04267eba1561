"""Catalogs and what is in them, at PyFlink's path, which are refused when they are used."""

from __future__ import annotations

from typing import Final

from kafkastream.model.common.stand_ins import StandIn
from kafkastream.model.job.configuration import Configuration
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

_INSTEAD: Final = "Tables are declared by CREATE TABLE or TableDescriptor, or found in the catalog of Kafka's topics."


class Catalog(StandIn, instead=_INSTEAD):
    """Of a catalog: catalog."""


class CatalogBaseTable(StandIn, instead=_INSTEAD):
    """Of a catalog: catalog base table."""


class CatalogColumnStatistics(StandIn, instead=_INSTEAD):
    """Of a catalog: catalog column statistics."""


class CatalogDatabase(StandIn, instead=_INSTEAD):
    """Of a catalog: catalog database."""


class CatalogDescriptor(StandIn, instead=_INSTEAD):
    """Of a catalog: catalog descriptor."""


class CatalogFunction(StandIn, instead=_INSTEAD):
    """Of a catalog: catalog function."""


class CatalogModel(StandIn, instead=_INSTEAD):
    """Of a catalog: catalog model."""


class CatalogPartition(StandIn, instead=_INSTEAD):
    """Of a catalog: catalog partition."""


class CatalogPartitionSpec(StandIn, instead=_INSTEAD):
    """Of a catalog: catalog partition spec."""


class CatalogTableStatistics(StandIn, instead=_INSTEAD):
    """Of a catalog: catalog table statistics."""


class Column(StandIn, instead=_INSTEAD):
    """Of a catalog: column."""


class ComputedColumn(StandIn, instead=_INSTEAD):
    """Of a catalog: computed column."""


class Constraint(StandIn, instead=_INSTEAD):
    """Of a catalog: constraint."""


class HiveCatalog(StandIn, instead=_INSTEAD):
    """Of a catalog: hive catalog."""


class JdbcCatalog(StandIn, instead=_INSTEAD):
    """Of a catalog: jdbc catalog."""


class MetadataColumn(StandIn, instead=_INSTEAD):
    """Of a catalog: metadata column."""


class ObjectIdentifier(StandIn, instead=_INSTEAD):
    """Of a catalog: object identifier."""


class ObjectPath(StandIn, instead=_INSTEAD):
    """Of a catalog: object path."""


class PhysicalColumn(StandIn, instead=_INSTEAD):
    """Of a catalog: physical column."""


class Procedure(StandIn, instead=_INSTEAD):
    """Of a catalog: procedure."""


class UniqueConstraint(StandIn, instead=_INSTEAD):
    """Of a catalog: unique constraint."""


class WatermarkSpec(StandIn, instead=_INSTEAD):
    """Of a catalog: watermark spec."""


class ResolvedSchema(StandIn, instead=_INSTEAD):
    """Of a catalog: resolved schema."""
