"""Operators and conditions of ``Expression``."""

from __future__ import annotations

from typing import Any, NoReturn

from typing_extensions import Self

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.sql.types import DataType
from kafkastream.table.api.expression_tree import (
    Flattened,
    Form,
    Member,
    Plus,
    Renamed,
    Strength,
    TableQuery,
    call_form,
    infix,
)
from kafkastream.table.api.tree_methods import TreeMethods, given, node_of

__all__ = ["OperatorMethods"]


class OperatorMethods(TreeMethods):
    """Operators, conditions, casts, names and orders."""

    __hash__ = object.__hash__

    def __add__(self, other: Any) -> Self:
        return self._of(Plus(self._node, node_of(other)))

    def __radd__(self, other: Any) -> Self:
        return self._of(Plus(node_of(other), self._node))

    def __sub__(self, other: Any) -> Self:
        return self._infix("-", other, Strength.SUM)

    def __rsub__(self, other: Any) -> Self:
        return self._of(infix("-", node_of(other), self._node, Strength.SUM))

    def __mul__(self, other: Any) -> Self:
        return self._infix("*", other, Strength.PRODUCT)

    def __rmul__(self, other: Any) -> Self:
        return self._of(infix("*", node_of(other), self._node, Strength.PRODUCT))

    def __truediv__(self, other: Any) -> Self:
        return self._infix("/", other, Strength.PRODUCT)

    def __rtruediv__(self, other: Any) -> Self:
        return self._of(infix("/", node_of(other), self._node, Strength.PRODUCT))

    def __mod__(self, other: Any) -> Self:
        return self._infix("%", other, Strength.PRODUCT)

    def __rmod__(self, other: Any) -> Self:
        return self._of(infix("%", node_of(other), self._node, Strength.PRODUCT))

    def __pow__(self, power: Any) -> Self:
        return self._call("POWER", power)

    def __rpow__(self, base: Any) -> Self:
        return self._of(call_form("POWER", node_of(base), self._node))

    def __eq__(self, other: object) -> Self:  # type: ignore[override]  # an expression, as in PyFlink
        return self._infix("=", other, Strength.COMPARISON)

    def __ne__(self, other: object) -> Self:  # type: ignore[override]  # an expression, as in PyFlink
        return self._infix("<>", other, Strength.COMPARISON)

    def __lt__(self, other: Any) -> Self:
        return self._infix("<", other, Strength.COMPARISON)

    def __gt__(self, other: Any) -> Self:
        return self._infix(">", other, Strength.COMPARISON)

    def __le__(self, other: Any) -> Self:
        return self._infix("<=", other, Strength.COMPARISON)

    def __ge__(self, other: Any) -> Self:
        return self._infix(">=", other, Strength.COMPARISON)

    def __and__(self, other: Any) -> Self:
        return self._infix("AND", other, Strength.AND)

    def __rand__(self, other: Any) -> Self:
        return self._of(infix("AND", node_of(other), self._node, Strength.AND))

    def __or__(self, other: Any) -> Self:
        return self._infix("OR", other, Strength.OR)

    def __ror__(self, other: Any) -> Self:
        return self._of(infix("OR", node_of(other), self._node, Strength.OR))

    def __invert__(self) -> Self:
        return self.is_not_true

    def __neg__(self) -> Self:
        return self._of(Form("-{0}", (self._node,), Strength.SIGN, (Strength.CALL,)))

    def between(self, lower_bound: Any, upper_bound: Any) -> Self:
        """Return whether the value is between two bounds.

        Args:
            lower_bound: Least value, included.
            upper_bound: Greatest value, included; the result is False if it is less than ``lower_bound``.
        """
        return self._compared("{0} BETWEEN {1} AND {2}", lower_bound, upper_bound)

    def not_between(self, lower_bound: Any, upper_bound: Any) -> Self:
        """Return whether the value is outside of two bounds.

        Args:
            lower_bound: Least value of the excluded range.
            upper_bound: Greatest value of the excluded range.
        """
        return self._compared("{0} NOT BETWEEN {1} AND {2}", lower_bound, upper_bound)

    notBetween = not_between

    def then(self, if_true: Any, if_false: Any) -> Self:
        """Return one of two values, depending on this condition.

        Args:
            if_true: Result if the condition is true.
            if_false: Result if the condition is false or NULL.
        """
        return self._form("CASE WHEN {0} THEN {1} ELSE {2} END", if_true, if_false)

    def if_null(self, null_replacement: Any) -> Self:
        """Return ``null_replacement`` for NULL, otherwise the value."""
        return self._call("IFNULL", null_replacement)

    ifNull = if_null

    @property
    def is_null(self) -> Self:
        """Return whether the value is NULL."""
        return self._compared("{0} IS NULL")

    isNull = is_null

    @property
    def is_not_null(self) -> Self:
        """Return whether the value is not NULL."""
        return self._compared("{0} IS NOT NULL")

    isNotNull = is_not_null

    @property
    def is_true(self) -> Self:
        """Return whether a condition is true: false for NULL."""
        return self._compared("{0} IS TRUE")

    isTrue = is_true

    @property
    def is_false(self) -> Self:
        """Return whether a condition is false: false for NULL."""
        return self._compared("{0} IS FALSE")

    isFalse = is_false

    @property
    def is_not_true(self) -> Self:
        """Return whether a condition is false or NULL; the operator ``~``, too."""
        return self._compared("{0} IS NOT TRUE")

    isNotTrue = is_not_true

    @property
    def is_not_false(self) -> Self:
        """Return whether a condition is true or NULL."""
        return self._compared("{0} IS NOT FALSE")

    isNotFalse = is_not_false

    @property
    def asc(self) -> Self:
        """Sort in ascending order, in ``order_by``."""
        return self._form("{0} ASC")

    @property
    def desc(self) -> Self:
        """Sort in descending order, in ``order_by``."""
        return self._form("{0} DESC")

    def cast(self, data_type: DataType) -> Self:
        """Cast to the type ``data_type``; a value that cannot be cast fails the job."""
        return self._of(Form(f"CAST({{0}} AS {data_type.nullable()})", (self._node,), keeps_name=str(data_type)))

    def try_cast(self, data_type: DataType) -> Self:
        """Cast to the type ``data_type``; a value that cannot be cast becomes NULL."""
        return self._form(f"TRY_CAST({{0}} AS {data_type.nullable()})")

    tryCast = try_cast

    def alias(self, name: str, *extra_names: str) -> Self:
        """Name the columns of the expression.

        Args:
            name: Name of the column.
            extra_names: Names of further columns, for the call of a function that returns several.
        """
        return self._of(Renamed(self._node, (name, *extra_names)))

    def get(self, name_or_index: str | int) -> Self:
        """Return a field of a row, given by its name or by its index from 0."""
        return self._of(Member(self._node, name_or_index))

    @property
    def flatten(self) -> Self:
        """Return all fields of a row as columns."""
        return self._of(Flattened(self._node))

    def as_argument(self, name: str) -> NoReturn:
        """Refused: arguments of functions have positions here.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise UnsupportedFeatureError(
            "arguments with a name", where=f"as_argument({name!r})", now="Order the arguments."
        )

    asArgument = as_argument

    def in_(self, first_element_or_table: Any, *remaining_elements: Any) -> Self:
        """Return whether the value is one of several, or in the only column of a table.

        Args:
            first_element_or_table: Value, or a table.
            remaining_elements: Further values.
        """
        if hasattr(first_element_or_table, "_query"):
            return self._of(TableQuery(self._node, first_element_or_table))
        values = given(first_element_or_table, *remaining_elements)
        form = f"{{0}} IN ({', '.join(f'{{{at}}}' for at in range(1, len(values) + 1))})"
        return self._of(Form(form, (self._node, *values), Strength.COMPARISON, (Strength.SUM,)))

    def object_update(self, *kv: Any) -> NoReturn:
        """Refused: objects of Java's classes do not exist here.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise UnsupportedFeatureError("objects of Java's classes", where="object_update", now="Make a row: row(...).")

    objectUpdate = object_update
