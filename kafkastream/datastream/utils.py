"""Rows, and helpers of PyFlink's own machinery, at PyFlink's path."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from kafkastream.model.common.row import Row, RowKind
from kafkastream.model.common.stand_ins import MACHINERY, stand_in
from kafkastream.model.common.types import TypeInformation, Types
from kafkastream.model.job.configuration import Configuration

__all__ = [
    "Configuration",
    "ResultTypeQueryable",
    "Row",
    "RowKind",
    "TypeInformation",
    "Types",
    "convert_to_python_obj",
    "create_hadoop_configuration",
    "create_java_properties",
    "pickled_bytes_to_python_obj",
]


convert_to_python_obj = stand_in(__name__, "convert_to_python_obj", MACHINERY)
create_hadoop_configuration = stand_in(__name__, "create_hadoop_configuration", MACHINERY)
create_java_properties = stand_in(__name__, "create_java_properties", MACHINERY)
pickled_bytes_to_python_obj = stand_in(__name__, "pickled_bytes_to_python_obj", MACHINERY)


@runtime_checkable
class ResultTypeQueryable(Protocol):
    """Protocol of sources and deserialization schemas that declare the type of their elements."""

    def get_produced_type(self) -> TypeInformation[object]:
        """Return the type of the elements."""
