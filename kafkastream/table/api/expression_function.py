"""User-defined functions that return expressions when they are called."""

from __future__ import annotations

from typing import Any, final

import attrs
from typing_extensions import Self

from kafkastream.sql.user_functions import UserFunction
from kafkastream.table.api.expression_tree import PythonCall
from kafkastream.table.api.tree_methods import given
from kafkastream.table.expression import Expression

__all__ = ["ExpressionFunction"]


@final
@attrs.frozen(eq=False)
class ExpressionFunction(UserFunction):
    """Function that is called with expressions.

    Args:
        aliases: Names of the columns of its result, for calls with a whole row.
    """

    aliases: tuple[str, ...] = ()

    def __call__(self, *args: Any) -> Expression[Any]:
        """Return an expression that calls the function.

        Args:
            args: Expressions and values.
        """
        return Expression(PythonCall(self, given(*args)))

    def alias(self, *alias_names: str) -> Self:
        """Return the function with names for the columns of its result, for ``Table.flat_map(f.alias("a"))``."""
        return attrs.evolve(self, aliases=alias_names)
