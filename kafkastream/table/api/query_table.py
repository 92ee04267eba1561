"""Base of ``Table``: a query with its columns, planned when it is needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.sql.plan.relations import Field, Relation
from kafkastream.sql.table import Expression
from kafkastream.table.api.select_text import SelectText

if TYPE_CHECKING:
    from kafkastream.table.environment import TableEnvironment

__all__ = ["QueryTable"]


class QueryTable:
    """Query in a session.

    Args:
        t_env: Environment.
        query: Text of the query, with the catalog of its names.
        relation: Plan; None to plan it when it is needed.
        select: Query as it grows with operations; None for one that the user wrote.
        fields: Columns, if they are known without a plan.
        where: Method that made it, for errors; empty for SQL.
        path: Name of the table or view whose rows it has; empty for other queries.
    """

    def __init__(
        self,
        t_env: TableEnvironment,
        query: Expression,
        relation: Relation | None = None,
        *,
        select: SelectText | None = None,
        fields: Sequence[Field] | None = None,
        where: str = "",
        path: tuple[str, ...] = (),
    ) -> None:
        self._t_env = t_env
        self._query = query
        self._planned = relation
        self._select = select
        self._known_fields = fields
        self._where = where
        self._path = path
        self._name = ""

    @property
    def _relation(self) -> Relation:
        """Plan of the query; planned once."""
        if self._planned is None:
            try:
                self._planned = self._t_env._planner.query(self._query)
            except (DefinitionError, UnsupportedFeatureError) as error:
                if not self._where:
                    raise
                raise type(error)(error.what, where=self._where, now=error.now) from None
        return self._planned

    @property
    def _fields(self) -> Sequence[Field]:
        return self._relation.fields if self._known_fields is None else self._known_fields

    @property
    def _names(self) -> list[str]:
        return [field.name for field in self._fields]
