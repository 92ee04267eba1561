"""Partitioners of a table's records (``sink.partitioner``)."""

from __future__ import annotations

import importlib
import re
from typing import Any, Final

from kafkastream.model.connectors.partitioners import FlinkFixedPartitioner, KafkaPartitioner
from kafkastream.sql.connectors.kafka_options import KEY_FIELDS, PARTITIONER
from kafkastream.sql.table_options import TableOptions

__all__ = ["partitioner_of"]

_DEFAULT, _FIXED, _ROUND_ROBIN = "default", "fixed", "round-robin"
_PYTHON: Final = re.compile(r"(?P<module>\w+(\.\w+)*):(?P<name>\w+(\.\w+)*)")


def partitioner_of(options: TableOptions) -> KafkaPartitioner[Any] | None:
    """Return the partitioner of a sink; None for Kafka's default, which uses the key.

    Raises:
        DefinitionError: There is no such partitioner, or it contradicts other options.
    """
    name = options.get(PARTITIONER)
    if name == _ROUND_ROBIN and options.has(KEY_FIELDS):
        raise options.refusal(
            f"Currently 'round-robin' partitioner only works when option '{KEY_FIELDS.key}' is not specified.",
            PARTITIONER.key,
        )
    if not name:
        raise options.refusal(f"Option '{PARTITIONER.key}' should be a non-empty string.", PARTITIONER.key)
    if name == _FIXED:
        return FlinkFixedPartitioner()
    return None if name in {_DEFAULT, _ROUND_ROBIN} else _own(options, name)


def _own(options: TableOptions, name: str) -> KafkaPartitioner[Any]:
    """Return an instance of the user's class, or the result of the user's function."""
    reference = _PYTHON.fullmatch(name)
    if reference is None:
        raise options.refusal(
            f"Could not find and instantiate partitioner class '{name}'",
            PARTITIONER.key,
            now=f"Write 'module:name' for a KafkaPartitioner in Python; or {_DEFAULT}, {_FIXED}, {_ROUND_ROBIN}.",
        )
    try:
        made: Any = importlib.import_module(reference["module"])
        for part in reference["name"].split("."):
            made = getattr(made, part)
        partitioner = made()
    except Exception as error:
        raise options.refusal(
            f"Could not find and instantiate partitioner class '{name}': {error!r}",
            PARTITIONER.key,
            now="It is imported where the job starts, and called without arguments.",
        ) from error
    if not isinstance(partitioner, KafkaPartitioner):
        raise options.refusal(
            f"Sink partitioner class '{name}' should implement the required class KafkaPartitioner", PARTITIONER.key
        )
    return partitioner
