"""Exceptions of Flink's JVM, at PyFlink's path: ``JavaException`` is any error of this package; nothing raises the others."""

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
    """Flink's; not raised here."""


class DatabaseAlreadyExistException(JavaException):
    """Flink's; not raised here."""


class DatabaseNotEmptyException(JavaException):
    """Flink's; not raised here."""


class DatabaseNotExistException(JavaException):
    """Flink's; not raised here."""


class FunctionAlreadyExistException(JavaException):
    """Flink's; not raised here."""


class FunctionNotExistException(JavaException):
    """Flink's; not raised here."""


class ModelAlreadyExistException(JavaException):
    """Flink's; not raised here."""


class ModelNotExistException(JavaException):
    """Flink's; not raised here."""


class PartitionAlreadyExistsException(JavaException):
    """Flink's; not raised here."""


class PartitionNotExistException(JavaException):
    """Flink's; not raised here."""


class PartitionSpecInvalidException(JavaException):
    """Flink's; not raised here."""


class TableAlreadyExistException(JavaException):
    """Flink's; not raised here."""


class TableException(JavaException):
    """Flink's; not raised here."""


class TableNotExistException(JavaException):
    """Flink's; not raised here."""


class TableNotPartitionedException(JavaException):
    """Flink's; not raised here."""
