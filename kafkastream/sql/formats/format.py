"""Base class of the formats of keys and values."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.options.option import Option
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.types import DataType, RowField

__all__ = ["Format"]


class Format(ABC):
    """Options of a format of keys and values, as the user has set them.

    Attributes:
        identifier: Value of the option ``format``, such as ``json``.
        engine_module: Name of the module that registers the reader and writer with ``@message_format.register``.
            The engine imports it when it compiles a query with such a format.
        changelog: Changelog mode that it reads and writes.
        metadata: Types of metadata in a value, by key; columns read it as ``value.<key>``.
        required: Required options.
        finds_fields_by_name: Whether columns that a query does not need can be omitted when messages are read.
    """

    __slots__ = ()

    identifier: ClassVar[str]
    engine_module: ClassVar[str] = ""
    changelog: ClassVar[ChangelogMode] = ChangelogMode.APPEND
    metadata: ClassVar[Mapping[str, DataType]] = FrozenMap()
    required: ClassVar[tuple[Option[Any], ...]] = ()
    finds_fields_by_name: ClassVar[bool] = False

    def problem_with(self, fields: Sequence[RowField]) -> str | None:
        """Return the reason why the format cannot read or write these fields; None if it can."""
        return None

    def without_effect(self, fields: Sequence[RowField]) -> Sequence[Option[Any]]:
        """Return options that are set without effect on these fields."""
        return ()

    def for_topic(self, topic: str, part: str) -> Format:
        """Return the format with defaults that depend on the topic of a sink with one topic.

        Args:
            topic: The topic.
            part: ``key`` or ``value``.
        """
        return self

    @property
    def writing_problem(self) -> str | None:
        """Return the reason why the format cannot write; None if it can."""
        return None
