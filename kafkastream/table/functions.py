"""Functions of the user's as a session gets and loses them."""

from __future__ import annotations

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.options.job import PYTHON_FILES
from kafkastream.sql.expressions.built_in_names import is_replaceable
from kafkastream.sql.function_imports import checked_function, imported_function
from kafkastream.sql.syntax.statements import CreateFunction, Drop
from kafkastream.table.planning import Planner

__all__ = ["create_function", "create_system_function", "created_function", "drop_function"]


def created_function(statement: CreateFunction, planner: Planner) -> None:
    """Carry out CREATE FUNCTION: the function is imported at once.

    Raises:
        DefinitionError: There is no such function, or already one of the name.
    """
    where = f"CREATE FUNCTION {'.'.join(statement.name)}, {statement.position}"
    files: tuple[str, ...] = planner.config.get_configuration().get(PYTHON_FILES)
    function = imported_function(statement.function, files, where)
    if statement.system:
        create_system_function(statement.name[-1], function, planner, where, if_not_exists=statement.if_not_exists)
    else:
        create_function(
            statement.name,
            function,
            planner,
            where,
            temporary=statement.temporary,
            if_not_exists=statement.if_not_exists,
        )


def create_function(
    name: tuple[str, ...],
    function: object,
    planner: Planner,
    where: str,
    *,
    temporary: bool,
    if_not_exists: bool = False,
) -> None:
    """Keep a function of a catalog.

    Raises:
        DefinitionError: It is none, or there is one of the name.
    """
    path = planner.catalog.path(name)
    made = checked_function(function, where)
    planner.functions.create(path, made, where, temporary=temporary, if_not_exists=if_not_exists)


def create_system_function(
    name: str, function: object, planner: Planner, where: str, *, if_not_exists: bool = False
) -> None:
    """Keep a system function, which comes before those that are built in.

    Raises:
        DefinitionError: It is none, or there is one of the name.
        UnsupportedFeatureError: The name is one of an aggregate, or has a grammar of its own.
    """
    if not is_replaceable(name):
        raise UnsupportedFeatureError(
            f"the built-in function {name.upper()} cannot be replaced", where=where, now="Take another name."
        )
    path = planner.functions.system_path(name)
    made = checked_function(function, where)
    planner.functions.create(path, made, where, temporary=True, if_not_exists=if_not_exists)


def drop_function(statement: Drop, planner: Planner) -> None:
    """Carry out DROP FUNCTION.

    Raises:
        DefinitionError: There is none.
    """
    functions = planner.functions
    path = functions.system_path(statement.name[-1]) if statement.system else planner.catalog.path(statement.name)
    functions.drop(path, str(statement.position), temporary=statement.temporary, if_exists=statement.if_exists)
