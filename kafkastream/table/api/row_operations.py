"""Operations on the rows of tables: set operations, order, and limits."""

from __future__ import annotations

from typing import Any

import attrs
from typing_extensions import Self

from kafkastream.table.api.operation import ApiOperation, nodes_of
from kafkastream.table.api.query_table import QueryTable
from kafkastream.table.api.select_text import SelectText

__all__ = ["RowOperations"]


class RowOperations(QueryTable):
    """Set operations of two tables with the same types; order, offset and limit of one."""

    def minus(self, right: Self) -> Self:
        """Return the rows that another table lacks, each once (``EXCEPT``).

        Args:
            right: Table with as many columns, of types that match.

        Raises:
            DefinitionError: The tables have different numbers of columns.
        """
        return self._combined("minus", "EXCEPT", right)

    def minus_all(self, right: Self) -> Self:
        """Return the rows without those of another table, each as often as it is left (``EXCEPT ALL``).

        Args:
            right: Table with as many columns, of types that match.

        Raises:
            DefinitionError: The tables have different numbers of columns.
        """
        return self._combined("minus_all", "EXCEPT ALL", right)

    minusAll = minus_all

    def union(self, right: Self) -> Self:
        """Return the rows of both tables, each once (``UNION``).

        Args:
            right: Table with as many columns, of types that match.

        Raises:
            DefinitionError: The tables have different numbers of columns.
        """
        return self._combined("union", "UNION", right)

    def union_all(self, right: Self) -> Self:
        """Return the rows of both tables (``UNION ALL``).

        Args:
            right: Table with as many columns, of types that match.

        Raises:
            DefinitionError: The tables have different numbers of columns.
        """
        return self._combined("union_all", "UNION ALL", right)

    unionAll = union_all

    def intersect(self, right: Self) -> Self:
        """Return the rows that both tables have, each once (``INTERSECT``).

        Args:
            right: Table with as many columns, of types that match.

        Raises:
            DefinitionError: The tables have different numbers of columns.
        """
        return self._combined("intersect", "INTERSECT", right)

    def intersect_all(self, right: Self) -> Self:
        """Return the rows that both tables have, each as often as both have it (``INTERSECT ALL``).

        Args:
            right: Table with as many columns, of types that match.

        Raises:
            DefinitionError: The tables have different numbers of columns.
        """
        return self._combined("intersect_all", "INTERSECT ALL", right)

    intersectAll = intersect_all

    def order_by(self, *fields: Any) -> Self:
        """Sort the rows; a stream is sorted by its time, or limited by ``fetch``.

        Args:
            fields: Keys: ``col("a")``, ``col("a").asc`` or ``col("a").desc``.

        Raises:
            DefinitionError: A key is invalid.
        """
        done = ApiOperation(self, "order_by", *fields)
        keys = tuple(map(done.writer().value, nodes_of(done.where, fields)))
        return done.finished(attrs.evolve(done.select, order=keys), self._fields)

    orderBy = order_by

    def offset(self, offset: int) -> Self:
        """Leave out the first rows.

        Args:
            offset: Number of rows, 0 or more.

        Raises:
            DefinitionError: The number is negative, or rows were left out already.
        """
        return self._limited("offset", offset, "offset")

    def fetch(self, fetch: int) -> Self:
        """Keep the first rows.

        Args:
            fetch: Number of rows, 0 or more.

        Raises:
            DefinitionError: The number is negative, or the rows were limited already.
            UnsupportedFeatureError: The rows cannot be limited here.
        """
        return self._limited("fetch", fetch, "fetch")

    def limit(self, fetch: int, offset: int = 0) -> Self:
        """Keep rows from an offset on.

        Args:
            fetch: Number of rows that are kept.
            offset: Number of rows that are left out before.

        Raises:
            DefinitionError: A number is negative, or the rows were limited already.
            UnsupportedFeatureError: The rows cannot be limited here.
        """
        return self.offset(offset).fetch(fetch)

    def _limited(self, method: str, number: int, clause: str) -> Self:
        done = ApiOperation(self, method, number)
        select, is_sorted = done.select, self._select is not None and self._select.has_end and not self._select.whole
        if self._select is not None and is_sorted:
            select = self._select
            done.operands.add(self._query.names)
        if number < 0:
            raise done.error(f"{clause.upper()} should be greater than or equal to 0.", "Give another number.")
        for defined in ("fetch", clause):
            if getattr(select, defined) is not None:
                raise done.error(f"{defined.upper()} is already defined.", "Write order_by, offset, then fetch.")
        limited = attrs.evolve(select, offset=number) if clause == "offset" else attrs.evolve(select, fetch=number)
        return done.finished(limited, self._fields if clause == "offset" else None)

    def _combined(self, method: str, operator: str, right: Self) -> Self:
        done = ApiOperation(self, method, right)
        if len(self._names) != len(right._names):
            sizes = f"{len(self._names)} and {len(right._names)}"
            what = f"The {method} operation on two tables of different column sizes: {sizes} is not supported"
            raise done.error(what, "Select as many columns of both.")
        sides = [self._side(done, one, operator, is_left=one is self) for one in (self, right)]
        return done.finished(SelectText(whole=f" {operator} ".join(sides)))

    @staticmethod
    def _side(done: ApiOperation[Any], table: QueryTable, operator: str, *, is_left: bool) -> str:
        """Return an operand of a set operation: its own text where that means the same."""
        select = table._select
        is_chain = is_left and operator == "UNION ALL" and bool(select and select.whole)
        if select is None or (select.has_end and not (is_chain and f" {operator} " in select.whole)):
            return SelectText(done.entry(table)).text
        done.operands.add(table._query.names)
        return select.text
