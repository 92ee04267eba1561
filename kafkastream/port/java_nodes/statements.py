"""Statements."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import attrs

from kafkastream.port.java_nodes.nodes import Expression, Node, Statement, Type

if TYPE_CHECKING:
    from kafkastream.port.java_nodes.declarations import ClassDeclaration

__all__ = [
    "Block",
    "Break",
    "Case",
    "Catch",
    "Continue",
    "Do",
    "Empty",
    "Evaluate",
    "For",
    "ForEach",
    "If",
    "LocalClass",
    "LocalVariable",
    "Return",
    "Switch",
    "Throw",
    "Try",
    "While",
    "Yield",
]


@final
@attrs.frozen
class Block(Statement):
    """Statements in braces."""

    statements: tuple[Statement, ...]


@final
@attrs.frozen
class LocalVariable(Statement):
    """Declaration of a local variable."""

    name: str
    type: Type
    value: Expression | None


@final
@attrs.frozen
class Evaluate(Statement):
    """Expression as a statement."""

    expression: Expression


@final
@attrs.frozen
class If(Statement):
    """Choice."""

    condition: Expression
    then: Statement
    otherwise: Statement | None


@final
@attrs.frozen
class While(Statement):
    """Loop with its condition at the top."""

    condition: Expression
    body: Statement


@final
@attrs.frozen
class Do(Statement):
    """Loop with its condition at the bottom."""

    body: Statement
    condition: Expression


@final
@attrs.frozen
class For(Statement):
    """Loop with a start, a condition and an update."""

    start: tuple[Statement, ...]
    condition: Expression | None
    update: tuple[Expression, ...]
    body: Statement


@final
@attrs.frozen
class ForEach(Statement):
    """Loop over the elements of a collection."""

    name: str
    type: Type
    values: Expression
    body: Statement


@final
@attrs.frozen
class Return(Statement):
    """Return."""

    value: Expression | None


@final
@attrs.frozen
class Yield(Statement):
    """Value of a case in a switch."""

    value: Expression


@final
@attrs.frozen
class Throw(Statement):
    """Throw."""

    value: Expression


@final
@attrs.frozen
class Break(Statement):
    """Break; ``label`` names the loop."""

    label: str | None = None


@final
@attrs.frozen
class Continue(Statement):
    """Continue; ``label`` names the loop."""

    label: str | None = None


@final
@attrs.frozen
class Empty(Statement):
    """Nothing."""


@final
@attrs.frozen
class Catch(Node):
    """Handler of exceptions."""

    types: tuple[Type, ...]
    name: str
    body: Block


@final
@attrs.frozen
class Try(Statement):
    """Try with resources, handlers and a last block."""

    resources: tuple[LocalVariable, ...]
    body: Block
    catches: tuple[Catch, ...]
    last_block: Block | None


@final
@attrs.frozen
class Case(Node):
    """Case of a switch: no labels is the default; ``is_rule`` for an arrow."""

    labels: tuple[Expression, ...]
    statements: tuple[Statement, ...]
    is_rule: bool
    is_default: bool = False


@final
@attrs.frozen
class Switch(Statement):
    """Switch."""

    value: Expression
    cases: tuple[Case, ...]


@final
@attrs.frozen
class LocalClass(Statement):
    """Class declared within a method."""

    declaration: ClassDeclaration
