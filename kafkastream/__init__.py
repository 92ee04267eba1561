"""Apache Flink's Kafka connectors and DataStream API, in Python, on Spark.

The names that most jobs start with; all others are at PyFlink's paths, with ``kafkastream`` for ``pyflink``:
``kafkastream.common``, ``kafkastream.datastream``, ``kafkastream.datastream.connectors.kafka``.

They are imported when they are used: each of the Python processes that Spark starts for a job imports this package, and
most need none of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kafkastream.common import SimpleStringSchema, Types, WatermarkStrategy
    from kafkastream.datastream import StreamExecutionEnvironment
    from kafkastream.datastream.connectors.kafka import (
        DeliveryGuarantee,
        KafkaOffsetsInitializer,
        KafkaRecordSerializationSchema,
        KafkaSink,
        KafkaSource,
    )

__all__ = [
    "DeliveryGuarantee",
    "KafkaOffsetsInitializer",
    "KafkaRecordSerializationSchema",
    "KafkaSink",
    "KafkaSource",
    "SimpleStringSchema",
    "StreamExecutionEnvironment",
    "Types",
    "WatermarkStrategy",
]

_PLACES: Final = ("common", "datastream", "datastream.connectors.kafka")
"""Modules that have the names of ``__all__``."""


def __getattr__(name: str) -> object:
    """Return a name of ``__all__``, imported at its first use."""
    if name in __all__:
        for place in _PLACES:
            module = import_module(f"{__name__}.{place}")
            if name in module.__all__:
                found: object = getattr(module, name)
                globals()[name] = found
                return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return all names, imported or not."""
    return sorted({*globals(), *__all__})
