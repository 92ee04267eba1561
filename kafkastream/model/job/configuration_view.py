"""Views of a configuration: typed methods for settings that the configuration alone keeps."""

from __future__ import annotations

from typing import Any, TypeVar

from typing_extensions import Self

from kafkastream.errors import DefinitionError
from kafkastream.model.job.configuration import Configuration, Value
from kafkastream.options.option import Option

__all__ = ["ConfigurationView"]

T = TypeVar("T")


class ConfigurationView:
    """View that reads and writes a configuration by methods; views of one configuration see each other's changes."""

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration

    def _get(self, option: Option[T]) -> T:
        return self._configuration.get(option)

    def _set(self, option: Option[Any], value: Value) -> Self:
        self._configuration.set(option, value)
        return self

    def _set_at_least(self, least: int, option: Option[Any], value: int) -> Self:
        if value < least:
            raise DefinitionError(f"{value} is too little for {option.key!r}", now=f"Give {least} or more.")
        return self._set(option, value)
