"""Enumerations of keywords in statements."""

from __future__ import annotations

import enum

__all__ = ["ExplainDetail", "FeatureOption", "MergingStrategy", "ObjectKind", "Shown"]


class ObjectKind(enum.Enum):
    """Kinds of objects in a catalog, and catalogs themselves."""

    TABLE = "TABLE"
    VIEW = "VIEW"
    CATALOG = "CATALOG"
    DATABASE = "DATABASE"
    FUNCTION = "FUNCTION"


class FeatureOption(enum.Enum):
    """Parts of a table that LIKE copies."""

    ALL = "ALL"
    CONSTRAINTS = "CONSTRAINTS"
    DISTRIBUTION = "DISTRIBUTION"
    GENERATED = "GENERATED"
    METADATA = "METADATA"
    OPTIONS = "OPTIONS"
    PARTITIONS = "PARTITIONS"
    WATERMARKS = "WATERMARKS"


class MergingStrategy(enum.Enum):
    """Strategies by which LIKE merges a part of a table (Flink's ``MergingStrategy``)."""

    INCLUDING = "INCLUDING"
    EXCLUDING = "EXCLUDING"
    OVERWRITING = "OVERWRITING"


class ExplainDetail(enum.Enum):
    """Details that EXPLAIN adds to the plan."""

    ESTIMATED_COST = "ESTIMATED_COST"
    CHANGELOG_MODE = "CHANGELOG_MODE"
    JSON_EXECUTION_PLAN = "JSON_EXECUTION_PLAN"
    PLAN_ADVICE = "PLAN_ADVICE"


class Shown(enum.Enum):
    """Subjects of SHOW."""

    CATALOGS = "CATALOGS"
    CURRENT_CATALOG = "CURRENT CATALOG"
    DATABASES = "DATABASES"
    CURRENT_DATABASE = "CURRENT DATABASE"
    TABLES = "TABLES"
    VIEWS = "VIEWS"
    COLUMNS = "COLUMNS"
    FUNCTIONS = "FUNCTIONS"
    USER_FUNCTIONS = "USER FUNCTIONS"
    JARS = "JARS"
    CREATE_TABLE = "CREATE TABLE"
    CREATE_VIEW = "CREATE VIEW"
    CREATE_CATALOG = "CREATE CATALOG"
