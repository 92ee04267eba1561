"""Methods of ``Expression`` on numbers."""

from __future__ import annotations

from typing import Any

from typing_extensions import Self

from kafkastream.table.api.expression_tree import call_form
from kafkastream.table.api.tree_methods import TreeMethods, given

__all__ = ["NumberMethods"]


class NumberMethods(TreeMethods):
    """Methods on numbers; results are NULL for NULL."""

    @property
    def exp(self) -> Self:
        """Return e to the power of the number."""
        return self._call("EXP")

    @property
    def log10(self) -> Self:
        """Return the logarithm to base 10."""
        return self._call("LOG10")

    @property
    def log2(self) -> Self:
        """Return the logarithm to base 2."""
        return self._call("LOG2")

    @property
    def ln(self) -> Self:
        """Return the natural logarithm."""
        return self._call("LN")

    def log(self, base: Any = None) -> Self:
        """Return the logarithm to a base, by default the natural one."""
        node = call_form("LOG", *given(base), self._node)
        return self._of(node)

    @property
    def cosh(self) -> Self:
        """Return the hyperbolic cosine."""
        return self._call("COSH")

    @property
    def sinh(self) -> Self:
        """Return the hyperbolic sine."""
        return self._call("SINH")

    @property
    def sin(self) -> Self:
        """Return the sine of an angle in radians."""
        return self._call("SIN")

    @property
    def cos(self) -> Self:
        """Return the cosine of an angle in radians."""
        return self._call("COS")

    @property
    def tan(self) -> Self:
        """Return the tangent of an angle in radians."""
        return self._call("TAN")

    @property
    def cot(self) -> Self:
        """Return the cotangent of an angle in radians."""
        return self._call("COT")

    @property
    def asin(self) -> Self:
        """Return the arc sine, in radians."""
        return self._call("ASIN")

    @property
    def acos(self) -> Self:
        """Return the arc cosine, in radians."""
        return self._call("ACOS")

    @property
    def atan(self) -> Self:
        """Return the arc tangent, in radians."""
        return self._call("ATAN")

    @property
    def tanh(self) -> Self:
        """Return the hyperbolic tangent."""
        return self._call("TANH")

    @property
    def degrees(self) -> Self:
        """Convert radians to degrees."""
        return self._call("DEGREES")

    @property
    def radians(self) -> Self:
        """Convert degrees to radians."""
        return self._call("RADIANS")

    @property
    def sqrt(self) -> Self:
        """Return the square root."""
        return self._call("SQRT")

    @property
    def abs(self) -> Self:
        """Return the absolute value."""
        return self._call("ABS")

    @property
    def sign(self) -> Self:
        """Return the sign: -1, 0 or 1."""
        return self._call("SIGN")

    def round(self, places: Any) -> Self:
        """Round to a number of decimal places."""
        return self._call("ROUND", places)

    def truncate(self, n: Any = 0) -> Self:
        """Cut off after ``n`` decimal places."""
        return self._call("TRUNCATE", n)

    @property
    def bin(self) -> Self:
        """Return an integer in binary digits."""
        return self._call("BIN")

    @property
    def hex(self) -> Self:
        """Return an integer or a text in hexadecimal digits."""
        return self._call("HEX")

    @property
    def chr(self) -> Self:
        """Return the character of a code point."""
        return self._call("CHR")

    def elt(self, expr: Any, *exprs: Any) -> Self:
        """Return one of several values by its position; NULL if there is no such position.

        Args:
            expr: Value at position 1.
            exprs: Values at the positions from 2. All values are strings, or all are bytes.
        """
        return self._call("ELT", expr, *exprs)
