"""What every format of keys and values is."""

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
    """How fields are bytes, with the options that the user has set.

    Attributes:
        identifier: What the user calls it: ``json``.
        changelog: Which kinds of rows it reads and writes.
        metadata: What else it reads from a value, which columns get as ``value.<key>``.
        required: The options that must be given.
    """

    __slots__ = ()

    identifier: ClassVar[str]
    changelog: ClassVar[ChangelogMode] = ChangelogMode.APPEND
    metadata: ClassVar[Mapping[str, DataType]] = FrozenMap()
    required: ClassVar[tuple[Option[Any], ...]] = ()

    def problem_with(self, fields: Sequence[RowField]) -> str | None:
        """Why it cannot read or write these fields, if it cannot."""
        return None

    def without_effect(self, fields: Sequence[RowField]) -> Sequence[Option[Any]]:
        """Options that are set, and change nothing about these fields."""
        return ()

    @property
    def writing_problem(self) -> str | None:
        """Why it can only read, if it can only read."""
        return None
