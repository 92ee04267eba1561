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
    "comment_before",
    "comment_of",
    "declaration",
    "expression",
    "named",
    "parse",
    "place",
    "reads",
    "statement",
    "text_of",
]

Reader = TypeVar("Reader", bound="Callable[[Tree], Any]")

_READERS: Final[dict[str, Callable[[Tree], Any]]] = {}
_COMMENTS: Final = frozenset({"line_comment", "block_comment"})
_OWN_COMMENTS: Final = frozenset({"block", "class_body", "switch_block", "constructor_body"})


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


def expression(tree: Tree | None) -> Expression:
    """Read an expression; one that nobody reads is ``Unread``."""
    found = _read(tree)
    if isinstance(found, Switch):
        return SwitchValue(found, line=found.line, last=found.last)
    return found if isinstance(found, Expression) else Unread(text_of(tree), **place(tree))


def statement(tree: Tree | None) -> Statement:
    """Read a statement, with the comments within it."""
    found = _read(tree)
    if isinstance(found, ClassDeclaration):
        return LocalClass(found, **place(tree))
    if not isinstance(found, Statement):
        return Evaluate(Unread(text_of(tree), **place(tree)), **place(tree))
    comments = tuple(map(comment_of, _comments_within(tree))) if tree is not None else ()
    return attrs.evolve(found, comments=comments) if comments else found


def declaration(tree: Tree) -> ClassDeclaration | None:
    """Read a class, or the body of an anonymous one."""
    found = _read(tree)
    return found if isinstance(found, ClassDeclaration) else None


def _read(tree: Tree | None) -> Any:
    reader = _READERS.get(tree.type) if tree is not None else None
    return reader(tree) if reader is not None and tree is not None else None


def text_of(tree: Tree | None) -> str:
    """Return the text of a node."""
    return tree.text.decode() if tree is not None and tree.text is not None else ""


def place(tree: Tree | None) -> dict[str, Any]:
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


def named(tree: Tree | None) -> list[Tree]:
    """Return the children that are not punctuation or comments."""
    return [one for one in tree.named_children if one.type not in _COMMENTS] if tree is not None else []


def comment_of(tree: Tree) -> Comment:
    """Read a comment, without its signs."""
    lines = text_of(tree).splitlines()
    return Comment(tuple(map(_uncommented, lines)), **place(tree))


def _uncommented(line: str) -> str:
    text = line.strip().removesuffix("*/").rstrip()
    for sign in ("/**", "/*", "//", "*"):
        if text.startswith(sign):
            return text.removeprefix(sign).strip()
    return text


def comment_before(tree: Tree) -> Comment | None:
    """Read the Javadoc of a declaration."""
    before = tree.prev_sibling
    if before is None or before.type not in _COMMENTS:
        return None
    return comment_of(before)


def _comments_within(tree: Tree) -> Iterator[Tree]:
    if tree.type in _OWN_COMMENTS:
        return
    for one in tree.children:
        if one.type in _COMMENTS:
            yield one
        else:
            yield from _comments_within(one)
