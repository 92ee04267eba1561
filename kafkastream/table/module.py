"""Modules, at PyFlink's path, refused when they are used."""

from __future__ import annotations

from typing import Final

from kafkastream.model.common.stand_ins import StandIn

__all__ = [
    "HiveModule",
    "Module",
    "ModuleEntry",
]

_INSTEAD: Final = "There are no modules: functions are there, or made by udf."


class Module(StandIn, instead=_INSTEAD):
    """A set of functions."""


class HiveModule(StandIn, instead=_INSTEAD):
    """Hive's functions."""


class ModuleEntry(StandIn, instead=_INSTEAD):
    """A module and whether it is used."""
