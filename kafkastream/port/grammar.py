"""Java's grammar for tree-sitter: parses a file, and dispatches its nodes to the functions that read them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, TypeVar

import attrs

from kafkastream.extras import PORT
from kafkastream.port.java_nodes import (
    ClassDeclaration,
    Comment,
    Evaluate,
    Expression,
    LocalClass,
    Statement,
    Switch,
    SwitchValue,
    Unread,
)

if TYPE_CHECKING:
    from tree_sitter import Node as Tree

__all__ = [
    "child",
    "children",
    "line_range",
    "named_children",
    "parse",
    "read_class_declaration",
    "read_comment",
    "read_expression",
    "read_javadoc",
    "read_statement",
    "reads",
    "text_of",
]

Reader = TypeVar("Reader", bound="Callable[[Tree], Any]")

_READERS: Final[dict[str, Callable[[Tree], Any]]] = {}
_COMMENTS: Final = frozenset({"line_comment", "block_comment"})
# their comments are statements of their own; those within other nodes move above the statement
_KEEP_THEIR_COMMENTS: Final = frozenset({"block", "class_body", "switch_block", "constructor_body"})


def parse(text: str) -> Tree:
    """Return the tree of a Java file.

    Raises:
        SetupError: tree-sitter is not installed.
    """
    tree_sitter, java = PORT.imported(), PORT.imported("tree_sitter_java")
    parser = tree_sitter.Parser(tree_sitter.Language(java.language()))
    root: Tree = parser.parse(text.encode()).root_node
    return root


def reads(*kinds: str) -> Callable[[Reader], Reader]:
    """Register the function that reads nodes of these kinds."""

    def register(function: Reader) -> Reader:
        _READERS.update(dict.fromkeys(kinds, function))
        return function

    return register


def read_expression(tree: Tree | None) -> Expression:
    """Read an expression; one without a registered reader becomes ``Unread``."""
    node = _read_node(tree)
    if isinstance(node, Switch):
        return SwitchValue(node, line=node.line, last=node.last)
    return node if isinstance(node, Expression) else Unread(text_of(tree), **line_range(tree))


def read_statement(tree: Tree | None) -> Statement:
    """Read a statement, with the comments within it."""
    node = _read_node(tree)
    if isinstance(node, ClassDeclaration):
        return LocalClass(node, **line_range(tree))
    if not isinstance(node, Statement):
        return Evaluate(Unread(text_of(tree), **line_range(tree)), **line_range(tree))
    comments = tuple(map(read_comment, _comments_within(tree))) if tree is not None else ()
    return attrs.evolve(node, comments=comments) if comments else node


def read_class_declaration(tree: Tree) -> ClassDeclaration | None:
    """Read a class, or the body of an anonymous one."""
    node = _read_node(tree)
    return node if isinstance(node, ClassDeclaration) else None


def _read_node(tree: Tree | None) -> Any:
    reader = _READERS.get(tree.type) if tree is not None else None
    return reader(tree) if reader is not None and tree is not None else None


def text_of(tree: Tree | None) -> str:
    """Return the text of a node."""
    return tree.text.decode() if tree is not None and tree.text is not None else ""


def line_range(tree: Tree | None) -> dict[str, Any]:
    """Return the lines of a node, as arguments of a ``Node``."""
    if tree is None:
        return {}
    return {"line": tree.start_point[0] + 1, "last": tree.end_point[0] + 1}


def child(tree: Tree, field: str) -> Tree | None:
    """Return the child in a field of the grammar."""
    return tree.child_by_field_name(field)


def children(tree: Tree, field: str) -> list[Tree]:
    """Return all children in a field of the grammar."""
    return tree.children_by_field_name(field)


def named_children(tree: Tree | None) -> list[Tree]:
    """Return the children that are not punctuation or comments."""
    return (
        [named_child for named_child in tree.named_children if named_child.type not in _COMMENTS]
        if tree is not None
        else []
    )


def read_comment(tree: Tree) -> Comment:
    """Read a comment, without ``//``, ``/*`` and ``*``."""
    lines = text_of(tree).splitlines()
    return Comment(tuple(map(_strip_comment_signs, lines)), **line_range(tree))


def _strip_comment_signs(line: str) -> str:
    text = line.strip().removesuffix("*/").rstrip()
    for sign in ("/**", "/*", "//", "*"):
        if text.startswith(sign):
            return text.removeprefix(sign).strip()
    return text


def read_javadoc(tree: Tree) -> Comment | None:
    """Read the Javadoc of a declaration."""
    previous = tree.prev_sibling
    if previous is None or previous.type not in _COMMENTS:
        return None
    return read_comment(previous)


def _comments_within(tree: Tree) -> Iterator[Tree]:
    if tree.type in _KEEP_THEIR_COMMENTS:
        return
    for node in tree.children:
        if node.type in _COMMENTS:
            yield node
        else:
            yield from _comments_within(node)
