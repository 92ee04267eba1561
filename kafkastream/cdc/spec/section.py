"""Parts of a document: nodes with positions, and sections whose scalars are options."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Generic, TypeAlias, TypeVar, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap, redacted
from kafkastream.options.option import Option
from kafkastream.options.parsers import text
from kafkastream.sql.connectors.connector import Connector
from kafkastream.sql.table import Position
from kafkastream.sql.table_options import GivenOptions

__all__ = ["NAME", "TYPE", "Entry", "ListNode", "MapNode", "Node", "Scalar", "Section", "SectionOptions", "SectionType"]

T_co = TypeVar("T_co", covariant=True)

TYPE: Final = Option[str](key="type", parse=text, default="", doc="The type of the source or the sink.")
NAME: Final = Option[str | None](key="name", parse=text, default=None, doc="A name for logs and metrics.")


@final
@attrs.frozen
class Scalar:
    """A value, as text whatever its type in YAML is.

    Args:
        text: The value after substitution; a ``Secret`` if a secret is in it.
        written: The text as it stands in the document.
        position: Its place.
        is_null: Whether there is no value: nothing, ``~`` or ``null``.
    """

    text: str
    written: str = attrs.field(repr=False)
    position: Position
    is_null: bool = False


@final
@attrs.frozen
class ListNode:
    """A list of nodes."""

    items: tuple[Node, ...]
    position: Position


@final
@attrs.frozen
class Entry:
    """A value of a mapping, and the place of its key."""

    position: Position
    node: Node


@final
@attrs.frozen
class MapNode:
    """A mapping of nodes."""

    entries: Mapping[str, Entry] = attrs.field(converter=FrozenMap[str, Entry])
    position: Position

    def scalars(self) -> Iterator[tuple[str, Entry, Scalar]]:
        """Entries whose values are scalars."""
        return ((key, entry, entry.node) for key, entry in self.entries.items() if isinstance(entry.node, Scalar))


Node: TypeAlias = Scalar | ListNode | MapNode


@final
@attrs.frozen
class Section:
    """Options of a document that belong together; a ``Declaration`` like a table's.

    Args:
        subject: The section as errors name it: ``source of job.yaml``.
        options: Its scalars, as they are written.
        positions: Where each option stands, and under an empty key the section.
        nodes: Its lists and mappings.
    """

    subject: str
    options: Mapping[str, str] = attrs.field(converter=FrozenMap[str, str], repr=redacted)
    positions: Mapping[str, Position] = attrs.field(converter=FrozenMap[str, Position], repr=False)
    nodes: Mapping[str, Entry] = attrs.field(default=FrozenMap(), converter=FrozenMap[str, Entry], repr=False)

    def refusal(self, what: str, position: Position, now: str = "") -> DefinitionError:
        """Return an error about a place in the section."""
        return DefinitionError(what, where=f"{self.subject}, {position}", now=now)


SectionOptions: TypeAlias = GivenOptions[Section]
"""Options of a section, with variables replaced."""


@final
@attrs.frozen
class SectionType(Generic[T_co]):
    """A type of sources or sinks: its name and options, and how its value is read.

    Args:
        connector: What ``type`` says, and the options.
        read: Makes the value of the options; raises ``DefinitionError``.
        doc: What it is, in a sentence.
        nodes: Options that are lists or mappings, with the JSON schema of each.
    """

    connector: Connector
    read: Callable[[SectionOptions], T_co]
    doc: str
    nodes: Mapping[str, Mapping[str, Any]] = attrs.field(factory=FrozenMap, converter=FrozenMap[str, Any])
