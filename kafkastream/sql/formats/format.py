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
        identifier: Name of the format in ``format``: ``json``.
        engine_module: Name of the module that registers the reader and writer with ``@message_format.register``.
            The engine imports it when it compiles a query with such a format.
        changelog: Which kinds of rows it reads and writes.
        metadata: What else it reads from a value, which columns get as ``value.<key>``.
        required: The options that must be given.
        finds_fields_by_name: Whether messages are read right when columns that a query does not need are left out.
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
        """Return options that are set, and have no effect on these fields."""
        return ()

    def for_topic(self, topic: str, part: str) -> Format:
        """Return the format with defaults that depend on the only topic of a sink.

        Args:
            topic: The topic.
            part: ``key`` or ``value``.
        """
        return self

    @property
    def writing_problem(self) -> str | None:
        """Reason why the format can only read; None if it can write."""
        return None
