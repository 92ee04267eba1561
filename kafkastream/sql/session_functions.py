"""User-defined functions of a session, by name."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from typing import Final, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.snapshot import snapshot
from kafkastream.sql.json_documents import (
    json_part,
    json_part_told,
    json_scalar,
    json_scalar_told,
    json_texts,
    json_texts_wrapped,
)
from kafkastream.sql.types import DataType, Kind
from kafkastream.sql.user_functions import UserFunction

__all__ = ["PYTHON_FUNCTIONS", "NamedFunction", "SessionFunctions"]

Path = tuple[str, str, str]
"""Catalog, database and name."""

_SYSTEM: Final = ("", "")
"""Placeholder for the catalog and database of system functions, which have none."""
_NUMBERS: Final = itertools.count(1)


@final
@attrs.frozen
class NamedFunction:
    """A registered function.

    Args:
        name: Name for the user.
        spark_name: Name in Spark, unique among all functions ever created in this process: a planned query keeps its
            function, even next to queries of another environment in one job.
        function: Function.
    """

    name: str
    spark_name: str
    function: UserFunction


_TEXTS: Final = (DataType.string(), DataType.string(), DataType.string())
_ARRAY: Final = DataType.of(Kind.ARRAY, parts=(DataType.string(),))
PYTHON_FUNCTIONS: Final[Mapping[str, NamedFunction]] = {
    spark_name: NamedFunction(name, spark_name, UserFunction(function, name, result_type, _TEXTS[:count]))
    for spark_name, name, function, result_type, count in (
        ("__json_value", "JSON_VALUE", json_scalar, DataType.string(), 2),
        ("__json_query", "JSON_QUERY", json_part, DataType.string(), 2),
        ("__json_query_texts", "JSON_QUERY", json_texts, _ARRAY, 2),
        ("__json_value_told", "JSON_VALUE", json_scalar_told, DataType.string(), 3),
        ("__json_query_told", "JSON_QUERY", json_part_told, DataType.string(), 3),
        ("__json_query_wrapped", "JSON_QUERY", json_texts_wrapped, _ARRAY, 3),
    )
}
"""Built-in functions that Python computes, by their names in Spark."""


@final
@attrs.define
class SessionFunctions:
    """Functions of a session; as in Flink, names are case-insensitive.

    Example:
        >>> from kafkastream.sql.types import DataType
        >>> functions = SessionFunctions()
        >>> path = functions.system_path("Shout")
        >>> functions.create(path, UserFunction(str.upper, "shout", DataType.string()), "here", temporary=True)
        >>> functions.find_system("SHOUT").name
        'shout'
    """

    known: dict[str, NamedFunction] = attrs.field(factory=dict)
    """All functions ever created in this process, by their names in Spark."""
    _temporary: dict[Path, NamedFunction] = attrs.field(factory=dict)
    _permanent: dict[Path, NamedFunction] = attrs.field(factory=dict)
    _unnamed: dict[int, tuple[UserFunction, NamedFunction]] = attrs.field(factory=dict)

    def copy(self) -> SessionFunctions:
        """Return a copy, independent of later changes."""
        return attrs.evolve(self, temporary=dict(self._temporary), permanent=dict(self._permanent))

    @staticmethod
    def system_path(name: str) -> Path:
        """Return the path of a system function."""
        return (*_SYSTEM, name)

    def find(self, path: Path) -> NamedFunction | None:
        """Return a catalog function; a temporary one hides a permanent one."""
        key = _key(path)
        return self._temporary.get(key) or self._permanent.get(key)

    def find_system(self, name: str) -> NamedFunction | None:
        """Return the temporary system function of this name, which overrides a built-in one."""
        return self.find(self.system_path(name))

    def create(
        self, path: Path, function: UserFunction, where: str, *, temporary: bool, if_not_exists: bool = False
    ) -> None:
        """Create a function.

        Raises:
            DefinitionError: A function of this name exists.
        """
        key, own = _key(path), self._temporary if temporary else self._permanent
        if key not in own:
            own[key] = named = self._named(key[2], function)
            self.known[named.spark_name] = named
        elif not if_not_exists:
            raise DefinitionError(
                f"{_what(path, temporary=temporary)} already exists.",
                where=where,
                now="DROP it first, or CREATE ... IF NOT EXISTS.",
            )

    def anonymous(self, function: UserFunction) -> NamedFunction:
        """Return a function without a name in a catalog; the same one for the same function."""
        known = self._unnamed.get(id(function))
        if known is None or known[0] is not function:
            named = self._named(function.name.lower(), function)
            known = self._unnamed[id(function)] = function, named
            self.known[named.spark_name] = named
        return known[1]

    def drop(self, path: Path, where: str, *, temporary: bool, if_exists: bool = False) -> bool:
        """Drop a function; return whether there was one.

        Raises:
            DefinitionError: There is no such function.
        """
        key = _key(path)
        if not temporary and key in self._temporary:
            raise DefinitionError(
                f"Temporary function {'.'.join(key)} exists. Drop it first before removing the permanent function.",
                where=where,
                now="DROP TEMPORARY FUNCTION",
            )
        found = (self._temporary if temporary else self._permanent).pop(key, None)
        if found is None and not if_exists:
            names = sorted({name for _, _, name in (*self._temporary, *self._permanent)})
            raise DefinitionError(
                f"{_what(path, temporary=temporary)} does not exist.",
                where=where,
                now=f"The functions are {', '.join(names)}." if names else "There are no functions yet.",
            )
        return found is not None

    def names(self, space: tuple[str, str]) -> list[str]:
        """Return the names of functions in a catalog and database, and of system functions."""
        paths = (*self._temporary, *self._permanent)
        return sorted({name for *their, name in paths if tuple(their) in (space, _SYSTEM)})

    def _named(self, name: str, function: UserFunction) -> NamedFunction:
        kind = "function" if function.is_deterministic else "varying"
        plain = UserFunction(*(getattr(function, field.name) for field in attrs.fields(UserFunction)))
        given = attrs.evolve(plain, function=snapshot(function.function))
        return NamedFunction(name, f"__{kind}_{next(_NUMBERS)}_{re.sub(r'[^a-z0-9_]', '_', name)}", given)


def _key(path: Path) -> Path:
    return (*path[:2], path[2].lower())


def _what(path: Path, *, temporary: bool) -> str:
    kind = "Temporary system function" if path[:2] == _SYSTEM else "Temporary function" if temporary else "Function"
    return f"{kind} '{'.'.join(filter(None, path))}'"
