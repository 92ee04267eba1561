"""Bases of all nodes: types, expressions and statements with their lines, comments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

import attrs

__all__ = [
    "Comment",
    "Expression",
    "Node",
    "Statement",
    "Type",
    "nodes_in",
]


@attrs.frozen
class Type:
    """Type in Java's words: ``Map<String, Integer>[]`` is a name, arguments, and dimensions.

    Args:
        name: Name without package and outer classes.
        arguments: Type arguments, without ``? extends``.
        dimensions: Dimensions of an array.
        owner: Outer class, as ``Map`` in ``Map.Entry``.
    """

    name: str
    arguments: tuple[Type, ...] = ()
    dimensions: int = 0
    owner: str = ""

    def argument(self, index: int) -> Type:
        """Return a type argument; one of an unknown type where there is none."""
        return self.arguments[index] if index < len(self.arguments) else Type("?")


@attrs.frozen(kw_only=True)
class Node:
    """Part of a Java file, and the lines that it takes."""

    line: int = attrs.field(default=0, eq=False)
    last: int = attrs.field(default=0, eq=False)


@attrs.frozen(kw_only=True)
class Expression(Node):
    """Expression."""


@attrs.frozen(kw_only=True)
class Statement(Node):
    """Statement.

    Args:
        comments: Comments within it, which move above it.
    """

    comments: tuple[Comment, ...] = ()


@final
@attrs.frozen
class Comment(Statement):
    """Comment, as lines without their signs."""

    lines: tuple[str, ...]


def nodes_in(node: object) -> Iterator[Node]:
    """Yield a node and all nodes within it.

    Example:
        >>> from kafkastream.port.java_nodes import Evaluate, Name, Unary
        >>> [type(one).__name__ for one in nodes_in(Evaluate(Unary("!", Name("ready"))))]
        ['Evaluate', 'Unary', 'Name']
    """
    if isinstance(node, tuple):
        for member in node:
            yield from nodes_in(member)
    elif isinstance(node, Node):
        yield node
        for attribute in attrs.fields(type(node)):
            yield from nodes_in(getattr(node, attribute.name))
