"""Parser from YAML to nodes with positions: texts, lists and mappings only; no objects are constructed."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, Final, TypeAlias, final

import attrs
import yaml

from kafkastream.cdc.spec.section import Entry, ListNode, MapNode, Node, Scalar
from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.sql.table import Position

__all__ = ["SECTIONS", "Resolve", "parse_tree"]

log = logging.getLogger("kafkastream")

Resolve: TypeAlias = Callable[[str, str], str]
"""Function of a text and its position to the text with variables substituted."""

SECTIONS: Final = ("source", "sink", "transform", "route", "pipeline")
_MOST_CHARACTERS: Final = 1_000_000
_MOST_NODES: Final = 100_000
_MOST_EXPANDED: Final = 10_000_000
"""Characters of all scalars after aliases and variables are expanded."""
_DEEPEST: Final = 50
_TAG: Final = "tag:yaml.org,2002:"
_PLAIN_TAGS: Final = frozenset(_TAG + kind for kind in ("str", "int", "float", "bool", "null", "timestamp", "value"))
_COLLECTION_TAGS: Final = frozenset({_TAG + "seq", _TAG + "map"})
_MERGE: Final = _TAG + "merge"
_INDENTED_SECTION: Final = re.compile(rf"[ \t]+(?:{'|'.join(SECTIONS)}):\s*$")
_HINTS: Final = {
    r"\t": "Indent with spaces.",
    "unknown escape character": "Write it without quotes, or in single quotes.",
    "mapping values are not allowed": "Put a value with ': ' in single quotes; look at the indentation.",
    "while scanning an alias": r"Write '\*' for all columns.",
    "expected a single document": "A document describes one pipeline.",
    "found undefined alias": "",
    "nested too deeply": "",
}


def parse_tree(text: str, name: str, resolve: Resolve) -> MapNode:
    """Parse a document.

    Args:
        text: YAML document.
        name: Name of the document in errors.
        resolve: Substitutes the variables in a scalar.

    Raises:
        DefinitionError: The text is not YAML, too large, or uses other constructs than texts, lists and mappings.
    """
    if len(text) > _MOST_CHARACTERS:
        raise DefinitionError(f"the document has {len(text)} characters, and {_MOST_CHARACTERS} at most", where=name)
    root = _composed(text, name)
    if not isinstance(root, yaml.MappingNode):
        raise DefinitionError(
            "the document is not a mapping", where=name, now="Write 'source:' and 'sink:' in its first column."
        )
    tree = _Conversion(name, resolve).node(root, 0)
    assert isinstance(tree, MapNode)
    return tree


def _composed(text: str, name: str) -> yaml.Node | None:
    for attempt in count():
        try:
            return yaml.compose(text, Loader=_Loader)
        except yaml.MarkedYAMLError as error:
            repaired = _outdented(text, error) if attempt < len(SECTIONS) else None
            if repaired is None:
                raise _yaml_error(error, name) from None
            log.warning("%s, line %d: indented, but read as a section", name, _line(error) + 1)
            text = repaired
        except yaml.YAMLError as error:
            raise _unreadable(text, error, name) from None
    raise AssertionError


@final
class _Loader(yaml.SafeLoader):
    """Composer of nodes that refuses deep nesting, for which PyYAML recurses."""

    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self._depth > _DEEPEST:
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(problem=f"nested too deeply: {_DEEPEST} levels at most", problem_mark=mark)
        self._depth += 1
        node: yaml.Node | None = super().compose_node(parent, index)
        self._depth -= 1
        return node


def _outdented(text: str, error: yaml.MarkedYAMLError) -> str | None:
    """Move a section that is indented by mistake, such as `` route:``, to the first column; None if there is none."""
    lines = text.splitlines(keepends=True)
    line = _line(error)
    if line >= len(lines) or not _INDENTED_SECTION.match(lines[line]):
        return None
    lines[line] = lines[line].lstrip()
    return "".join(lines)


def _line(error: yaml.MarkedYAMLError) -> int:
    mark = error.problem_mark or error.context_mark
    return 0 if mark is None else mark.line


def _yaml_error(error: yaml.MarkedYAMLError, name: str) -> DefinitionError:
    mark = error.problem_mark or error.context_mark
    what = ", ".join(filter(None, (error.context, error.problem))) or "the document is not valid YAML"
    where = name if mark is None else f"{name}, {_position(mark)}"
    now = next((hint for part, hint in _HINTS.items() if part in what), "Look at the indentation and the quotes.")
    return DefinitionError(what, where=where, now=now)


def _unreadable(text: str, error: yaml.YAMLError, name: str) -> DefinitionError:
    if not isinstance(error, yaml.reader.ReaderError):
        return DefinitionError(f"the document is not valid YAML: {error}", where=name)
    line = text.count("\n", 0, error.position) + 1
    return DefinitionError("the document has a character that is not allowed in YAML", where=f"{name}, line {line}")


def _position(mark: yaml.Mark) -> Position:
    return Position(mark.line + 1, mark.column + 1)


@final
@attrs.define
class _Conversion:
    """Converter from YAML's nodes to ours."""

    name: str
    resolve: Resolve
    nodes: int = 0
    characters: int = 0

    def node(self, node: yaml.Node, depth: int) -> Node:
        """Convert a node; an alias is converted each time it is used, so that it counts toward the size limit."""
        self.check_size(node, depth)
        position = _position(node.start_mark)
        if not isinstance(node, yaml.ScalarNode) and node.tag not in _COLLECTION_TAGS:
            raise self.refusal(f"the tag {node.tag!r} is not supported", node, "Write plain lists and mappings.")
        match node:
            case yaml.ScalarNode():
                return self.scalar(node, position)
            case yaml.SequenceNode():
                return ListNode(tuple(self.node(item, depth + 1) for item in node.value), position)
            case _:
                return MapNode(FrozenMap(self.entries(node, depth)), position)

    def check_size(self, node: yaml.Node, depth: int) -> None:
        """Count a node that is used once more."""
        self.nodes += 1
        if self.nodes > _MOST_NODES or depth > _DEEPEST or self.characters > _MOST_EXPANDED:
            raise self.refusal(
                "the document is too large, or nested too deeply; check for aliases that contain themselves", node
            )

    def scalar(self, node: yaml.ScalarNode, position: Position) -> Scalar:
        """Convert a scalar of any type."""
        if node.tag not in _PLAIN_TAGS:
            raise self.refusal(f"the tag {node.tag!r} is not supported", node, "Write plain values.")
        text = self.resolve(node.value, f"{self.name}, {position}")
        self.characters += len(text)
        return Scalar(text, node.value, position, is_null=node.tag == f"{_TAG}null")

    def entries(self, node: yaml.Node, depth: int) -> dict[str, Entry]:
        """Convert the pairs of a mapping, which take precedence over merged ones (``<<``)."""
        own: dict[str, Entry] = {}
        merged: dict[str, Entry] = {}
        for key, value in node.value:
            if key.tag == _MERGE:
                for mapping in self.merged(value, depth + 1):
                    for name, entry in self.entries(mapping, depth + 1).items():
                        merged.setdefault(name, entry)
                continue
            name = self.key(key)
            if name in own:
                first = own[name].position
                raise self.refusal(f"{name!r} is given twice; first in line {first.line}", key, "Remove one of them.")
            own[name] = Entry(_position(key.start_mark), self.node(value, depth + 1))
        return {**merged, **own}

    def key(self, node: yaml.Node) -> str:
        """Return the text of a key."""
        if not isinstance(node, yaml.ScalarNode) or node.tag not in _PLAIN_TAGS or not node.value:
            raise self.refusal("a key is not text", node)
        return str(node.value)

    def merged(self, node: yaml.Node, depth: int) -> Iterator[yaml.Node]:
        """Yield the mappings of a merge key (``<<``)."""
        for mapping in node.value if isinstance(node, yaml.SequenceNode) else [node]:
            if not isinstance(mapping, yaml.MappingNode):
                raise self.refusal("'<<' takes mappings", node)
            self.check_size(mapping, depth)
            yield mapping

    def refusal(self, what: str, node: yaml.Node, now: str = "") -> DefinitionError:
        """Return an error with the position of a node."""
        return DefinitionError(what, where=f"{self.name}, {_position(node.start_mark)}", now=now)
