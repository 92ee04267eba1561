"""Parts of a document: nodes with positions, and sections whose scalars are options."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Generic, TypeAlias, TypeVar, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.options.option import Option
from kafkastream.options.parsers import text
from kafkastream.secret_masking import redacted
from kafkastream.sql.option_group import OptionGroup
from kafkastream.sql.table import Position
from kafkastream.sql.table_options import GivenOptions

__all__ = ["NAME", "TYPE", "Entry", "ListNode", "MapNode", "Node", "Scalar", "Section", "SectionOptions", "SectionType"]

T_co = TypeVar("T_co", covariant=True)

TYPE: Final = Option[str](key="type", parse=text, default="", doc="Type of the source or the sink.")
NAME: Final = Option[str | None](key="name", parse=text, default=None, doc="Name in logs and metrics.")


@final
@attrs.frozen
class Scalar:
    """Scalar value as text, whatever its type in YAML.

    Args:
        text: Text after substitution; a ``Secret`` if it contains a secret.
        written: Text as written in the document.
        position: Position in the document.
        is_null: True if the value is empty, ``~`` or ``null``.
    """

    text: str = attrs.field(repr=False)
    written: str = attrs.field(repr=False)
    position: Position
    is_null: bool = False


@final
@attrs.frozen
class ListNode:
    """List of nodes."""

    items: tuple[Node, ...]
    position: Position


@final
@attrs.frozen
class Entry:
    """Value of a mapping, and the position of its key."""

    position: Position
    node: Node


@final
@attrs.frozen
class MapNode:
    """Mapping of nodes."""

    entries: Mapping[str, Entry] = attrs.field(converter=FrozenMap[str, Entry])
    position: Position

    def scalars(self) -> Iterator[tuple[str, Entry, Scalar]]:
        """Yield the entries whose values are scalars."""
        return ((key, entry, entry.node) for key, entry in self.entries.items() if isinstance(entry.node, Scalar))


Node: TypeAlias = Scalar | ListNode | MapNode


@final
@attrs.frozen
class Section:
    """Section of a document: a ``Declaration`` of options, like that of a table.

    Args:
        subject: Name of the section in errors: ``source of job.yaml``.
        options: Scalars as written.
        positions: Position of each option, and under an empty key that of the section.
        nodes: Lists and mappings.
    """

    subject: str
    options: Mapping[str, str] = attrs.field(converter=FrozenMap[str, str], repr=redacted)
    positions: Mapping[str, Position] = attrs.field(converter=FrozenMap[str, Position], repr=False)
    nodes: Mapping[str, Entry] = attrs.field(default=FrozenMap(), converter=FrozenMap[str, Entry], repr=False)

    def refusal(self, what: str, position: Position, now: str = "") -> DefinitionError:
        """Return an error with a position in the section.

        Args:
            what: Problem, in one sentence.
            position: Position in the document.
            now: Remedy.
        """
        return DefinitionError(what, where=f"{self.subject}, {position}", now=now)


SectionOptions: TypeAlias = GivenOptions[Section]
"""Options of a section, with variables substituted."""


@final
@attrs.frozen
class SectionType(Generic[T_co]):
    """Type of sources or sinks: name, options, and the function that reads them.

    Args:
        options: Value of ``type``, and the options.
        read: Creates the value from the options; raises ``DefinitionError``.
        doc: Description in a sentence.
        nodes: Options that are lists or mappings, with the JSON schema of each.
    """

    options: OptionGroup
    read: Callable[[SectionOptions], T_co]
    doc: str
    nodes: Mapping[str, Mapping[str, Any]] = attrs.field(factory=FrozenMap, converter=FrozenMap[str, Any])
