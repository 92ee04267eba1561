"""Parser from YAML to nodes with positions: texts, lists and mappings only; no objects are constructed."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias, final

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
_DEEPEST: Final = 50
_TAG: Final = "tag:yaml.org,2002:"
_PLAIN_TAGS: Final = frozenset(_TAG + kind for kind in ("str", "int", "float", "bool", "null", "timestamp", "value"))
_MERGE: Final = _TAG + "merge"
_INDENTED_SECTION: Final = re.compile(rf"[ \t]+(?:{'|'.join(SECTIONS)}):\s*$")
_HINTS: Final = {
    r"\t": "Indent with spaces.",
    "unknown escape character": "Write it without quotes, or in single quotes.",
    "mapping values are not allowed": "Put a value with ': ' in single quotes; look at the indentation.",
    "while scanning an alias": r"Write '\*' for all columns.",
    "expected a single document": "A document describes one pipeline.",
    "found undefined alias": "",
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
    while True:
        try:
            return yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as error:
            repaired = _outdented(text, error)
            if repaired is None:
                raise _yaml_error(error, name) from None
            log.warning("%s, line %d: indented, but read as a section", name, _line(error) + 1)
            text = repaired
        except yaml.YAMLError as error:
            raise _unreadable(text, error, name) from None
        except RecursionError:
            raise DefinitionError("the document is nested too deeply", where=name) from None


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

    def node(self, node: yaml.Node, depth: int) -> Node:
        """Convert a node; an alias is converted each time it is used, so that it counts toward the size limit."""
        self.nodes += 1
        if self.nodes > _MOST_NODES or depth > _DEEPEST:
            raise self.refusal(
                "the document is too large, or nested too deeply; check for aliases that contain themselves", node
            )
        position = _position(node.start_mark)
        match node:
            case yaml.ScalarNode():
                return self.scalar(node, position)
            case yaml.SequenceNode():
                return ListNode(tuple(self.node(item, depth + 1) for item in node.value), position)
            case _:
                return MapNode(FrozenMap(self.entries(node, depth)), position)

    def scalar(self, node: yaml.ScalarNode, position: Position) -> Scalar:
        """Convert a scalar of any type."""
        if node.tag not in _PLAIN_TAGS:
            raise self.refusal(f"the tag {node.tag!r} is not supported", node, "Write plain values.")
        text = self.resolve(node.value, f"{self.name}, {position}")
        return Scalar(text, node.value, position, is_null=node.tag == f"{_TAG}null")

    def entries(self, node: yaml.Node, depth: int) -> dict[str, Entry]:
        """Convert the pairs of a mapping, which take precedence over merged ones (``<<``)."""
        own: dict[str, Entry] = {}
        merged: dict[str, Entry] = {}
        for key, value in node.value:
            if key.tag == _MERGE:
                for one in self.merged(value):
                    merged = {**self.entries(one, depth + 1), **merged}
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

    def merged(self, node: yaml.Node) -> Iterator[yaml.Node]:
        """Yield the mappings of a merge key (``<<``)."""
        self.nodes += 1
        found = node.value if isinstance(node, yaml.SequenceNode) else [node]
        for one in found:
            if not isinstance(one, yaml.MappingNode) or self.nodes > _MOST_NODES:
                raise self.refusal("'<<' takes mappings", node)
            yield one

    def refusal(self, what: str, node: yaml.Node, now: str = "") -> DefinitionError:
        """Return an error with the position of a node."""
        return DefinitionError(what, where=f"{self.name}, {_position(node.start_mark)}", now=now)
