"""Exceptions of PyFlink: ``JavaException`` is the base class of this package's errors; others are never raised."""

from __future__ import annotations

from kafkastream.errors import KafkastreamError

__all__ = [
    "CatalogException",
    "DatabaseAlreadyExistException",
    "DatabaseNotEmptyException",
    "DatabaseNotExistException",
    "FunctionAlreadyExistException",
    "FunctionNotExistException",
    "JavaException",
    "ModelAlreadyExistException",
    "ModelNotExistException",
    "PartitionAlreadyExistsException",
    "PartitionNotExistException",
    "PartitionSpecInvalidException",
    "TableAlreadyExistException",
    "TableException",
    "TableNotExistException",
    "TableNotPartitionedException",
]

JavaException = KafkastreamError


class CatalogException(JavaException):
    """Flink's exception; never raised here."""


class DatabaseAlreadyExistException(JavaException):
    """Flink's exception; never raised here."""


class DatabaseNotEmptyException(JavaException):
    """Flink's exception; never raised here."""


class DatabaseNotExistException(JavaException):
    """Flink's exception; never raised here."""


class FunctionAlreadyExistException(JavaException):
    """Flink's exception; never raised here."""


class FunctionNotExistException(JavaException):
    """Flink's exception; never raised here."""


class ModelAlreadyExistException(JavaException):
    """Flink's exception; never raised here."""


class ModelNotExistException(JavaException):
    """Flink's exception; never raised here."""


class PartitionAlreadyExistsException(JavaException):
    """Flink's exception; never raised here."""


class PartitionNotExistException(JavaException):
    """Flink's exception; never raised here."""


class PartitionSpecInvalidException(JavaException):
    """Flink's exception; never raised here."""


class TableAlreadyExistException(JavaException):
    """Flink's exception; never raised here."""


class TableException(JavaException):
    """Flink's exception; never raised here."""


class TableNotExistException(JavaException):
    """Flink's exception; never raised here."""


class TableNotPartitionedException(JavaException):
    """Flink's exception; never raised here."""
