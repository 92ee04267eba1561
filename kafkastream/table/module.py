"""Modules, at PyFlink's path: importable, and refused when they are used."""

from __future__ import annotations

from typing import Final

from kafkastream.model.common.stand_ins import StandIn

__all__ = [
    "HiveModule",
    "Module",
    "ModuleEntry",
]

_INSTEAD: Final = "Leave it out: built-in functions are always available, others are made by udf."


class Module(StandIn, instead=_INSTEAD):
    """Set of built-in functions."""


class HiveModule(StandIn, instead=_INSTEAD):
    """Built-in functions of Hive."""


class ModuleEntry(StandIn, instead=_INSTEAD):
    """Module, and whether it is in use."""
