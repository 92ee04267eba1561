"""Methods of ``Expression`` that aggregate, and properties of windows."""

from __future__ import annotations

from typing import Any

from typing_extensions import Self

from kafkastream.errors import DefinitionError
from kafkastream.table.api.expression_tree import Aggregate, ColumnNode, OfWindow, OverCall, PythonCall
from kafkastream.table.api.tree_methods import TreeMethods, node_of

__all__ = ["AggregateMethods"]


class AggregateMethods(TreeMethods):
    """Methods that aggregate the values of a group, and properties of a group window."""

    @property
    def sum(self) -> Self:
        """Return the sum; NULL without values."""
        return self._aggregate("SUM")

    @property
    def sum0(self) -> Self:
        """Return the sum; 0 without values."""
        return self._aggregate("SUM0")

    @property
    def min(self) -> Self:
        """Return the least value."""
        return self._aggregate("MIN")

    @property
    def max(self) -> Self:
        """Return the greatest value."""
        return self._aggregate("MAX")

    @property
    def count(self) -> Self:
        """Return the number of values that are not NULL."""
        return self._aggregate("COUNT")

    @property
    def avg(self) -> Self:
        """Return the average."""
        return self._aggregate("AVG")

    @property
    def first_value(self) -> Self:
        """Return the first value."""
        return self._aggregate("FIRST_VALUE")

    firstValue = first_value

    @property
    def last_value(self) -> Self:
        """Return the last value."""
        return self._aggregate("LAST_VALUE")

    lastValue = last_value

    def list_agg(self, separator: Any = None) -> Self:
        """Join the texts.

        Args:
            separator: Text between two texts; a comma if None.
        """
        return self._aggregate("LISTAGG", separator)

    listAgg = list_agg

    @property
    def stddev_pop(self) -> Self:
        """Return the standard deviation of the population."""
        return self._aggregate("STDDEV_POP")

    stddevPop = stddev_pop

    @property
    def stddev_samp(self) -> Self:
        """Return the standard deviation of a sample."""
        return self._aggregate("STDDEV_SAMP")

    stddevSamp = stddev_samp

    @property
    def var_pop(self) -> Self:
        """Return the variance of the population."""
        return self._aggregate("VAR_POP")

    varPop = var_pop

    @property
    def var_samp(self) -> Self:
        """Return the variance of a sample."""
        return self._aggregate("VAR_SAMP")

    varSamp = var_samp

    @property
    def collect(self) -> Self:
        """Return a multiset of the values."""
        return self._aggregate("COLLECT")

    @property
    def array_agg(self) -> Self:
        """Return an array of the values."""
        return self._aggregate("ARRAY_AGG")

    arrayAgg = array_agg

    def percentile(self, percentage: Any, frequency: Any = None) -> Self:
        """Return the exact percentile of the values.

        Args:
            percentage: Percentage from 0 to 1, or an array of percentages.
            frequency: Number of times that a value counts, by default 1.
        """
        return self._aggregate("PERCENTILE", percentage, frequency)

    @property
    def start(self) -> Self:
        """Return the start of a group window."""
        return self._of(OfWindow("START", self._node))

    @property
    def end(self) -> Self:
        """Return the end of a group window, which is not in it."""
        return self._of(OfWindow("END", self._node))

    @property
    def rowtime(self) -> Self:
        """Return the event time of a group window: its last millisecond."""
        return self._of(OfWindow("ROWTIME", self._node))

    @property
    def proctime(self) -> Self:
        """Return the processing time of a group window."""
        return self._of(OfWindow("PROCTIME", self._node))

    @property
    def distinct(self) -> Self:
        """Let an aggregate take equal values once: ``col("a").count.distinct``.

        Raises:
            DefinitionError: The expression is not an aggregate.
        """
        match self._node:
            case Aggregate(name, parts, form=form):
                return self._of(Aggregate(name, parts, is_distinct=True, form=form))
            case PythonCall(function, parts):
                return self._of(PythonCall(function, parts, is_distinct=True))
        raise DefinitionError(
            "DISTINCT belongs to an aggregate", where="distinct", now="Write col('a').count.distinct."
        )

    def over(self, alias: Any) -> Self:
        """Aggregate over a window of ``Table.over_window``.

        Args:
            alias: Alias of the window, as a column: ``col("w")``.

        Raises:
            DefinitionError: The alias is not a name.
        """
        window = node_of(alias)
        if not isinstance(window, ColumnNode):
            raise DefinitionError("an over window is named by its alias", where="over", now="Write over(col('w')).")
        return self._of(OverCall(self._node, window.name))
