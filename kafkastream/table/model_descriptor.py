"""Descriptors of models, at PyFlink's path: importable, and refused when they are used."""

from __future__ import annotations

from typing import Final

from kafkastream.model.common.stand_ins import StandIn
from kafkastream.options.option import Option as ConfigOption
from kafkastream.table.schema import Schema

__all__ = [
    "ConfigOption",
    "ModelDescriptor",
    "Schema",
]

_INSTEAD: Final = "Call the model in a function made by udf."


class ModelDescriptor(StandIn, instead=_INSTEAD):
    """Description of a model by its options."""
