"""``ConfigOptions``, at PyFlink's path."""

from __future__ import annotations

from typing import TypeVar

from kafkastream.options.config_options import ConfigOptions
from kafkastream.options.option import Option as ConfigOption

__all__ = [
    "ConfigOption",
    "ConfigOptions",
    "T",
]


T = TypeVar("T")
