"""Registration of user-defined functions, by ``CREATE FUNCTION`` and by methods of ``TableEnvironment``."""

from __future__ import annotations

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.options.job import PYTHON_FILES
from kafkastream.sql.expressions.built_in_names import is_replaceable
from kafkastream.sql.function_imports import checked_function, imported_function
from kafkastream.sql.syntax.statements import CreateFunction, Drop
from kafkastream.table.session.session_planner import SessionPlanner
from kafkastream.table.udf import AggregateFunction, TableAggregateFunction, udaf, udtaf

__all__ = ["create_function", "create_system_function", "created_function", "drop_function"]


def created_function(statement: CreateFunction, planner: SessionPlanner) -> None:
    """Execute ``CREATE FUNCTION``; the function is imported at once.

    Raises:
        DefinitionError: The function cannot be imported, or one of this name exists.
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
    planner: SessionPlanner,
    where: str,
    *,
    temporary: bool,
    if_not_exists: bool = False,
) -> None:
    """Register a function in a catalog.

    Args:
        name: Name of the function, with or without catalog and database.
        function: Function made by ``udf``, ``udtf``, ``udaf`` or ``udtaf``, or an aggregate function with its types.
        planner: Planner of the session.
        where: Statement or method, for errors.
        temporary: Register a temporary function, which hides a permanent one of its name.
        if_not_exists: Keep an existing function instead of raising.

    Raises:
        DefinitionError: The object is not a function, or one of this name exists.
    """
    path = planner.catalog.path(name)
    made = checked_function(_wrapped(function), where)
    planner.functions.create(path, made, where, temporary=temporary, if_not_exists=if_not_exists)


def create_system_function(
    name: str, function: object, planner: SessionPlanner, where: str, *, if_not_exists: bool = False
) -> None:
    """Register a system function, which takes precedence over built-in ones.

    Raises:
        DefinitionError: The object is not a function, or one of this name exists.
        UnsupportedFeatureError: The name is that of a built-in aggregate, or of a function with its own grammar.
    """
    if not is_replaceable(name):
        raise UnsupportedFeatureError(
            f"the built-in function {name.upper()} cannot be replaced", where=where, now="Take another name."
        )
    path = planner.functions.system_path(name)
    made = checked_function(_wrapped(function), where)
    planner.functions.create(path, made, where, temporary=True, if_not_exists=if_not_exists)


def _wrapped(function: object) -> object:
    """Return an aggregate function that declares its types, as PyFlink takes it, made by ``udaf`` or ``udtaf``."""
    if isinstance(function, AggregateFunction):
        return udaf(function)
    return udtaf(function) if isinstance(function, TableAggregateFunction) else function


def drop_function(statement: Drop, planner: SessionPlanner) -> None:
    """Execute ``DROP FUNCTION``.

    Raises:
        DefinitionError: No function has this name.
    """
    functions = planner.functions
    path = functions.system_path(statement.name[-1]) if statement.system else planner.catalog.path(statement.name)
    functions.drop(path, str(statement.position), temporary=statement.temporary, if_exists=statement.if_exists)
