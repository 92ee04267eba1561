"""Functions of the user's as a session gets and loses them."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable
from types import ModuleType

from kafkastream.errors import DefinitionError, KafkastreamError, UnsupportedFeatureError
from kafkastream.options.job import PYTHON_FILES
from kafkastream.options.local_paths import local_path
from kafkastream.sql.query.built_in import is_replaceable
from kafkastream.sql.syntax.statements import CreateFunction, Drop
from kafkastream.sql.table_options import did_you_mean
from kafkastream.sql.user_functions import UserDefinedFunction, UserFunction
from kafkastream.table.planning import Planner

__all__ = ["create_function", "create_system_function", "created_function", "drop_function"]


def created_function(statement: CreateFunction, planner: Planner) -> None:
    """Carry out CREATE FUNCTION: the function is imported at once.

    Raises:
        DefinitionError: There is no such function, or already one of the name.
    """
    where = f"CREATE FUNCTION {'.'.join(statement.name)}, {statement.position}"
    files: tuple[str, ...] = planner.config.get_configuration().get(PYTHON_FILES)
    function = _imported(statement.function, files, where)
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
    made = _checked(function, where)
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
    made = _checked(function, where)
    planner.functions.create(path, made, where, temporary=True, if_not_exists=if_not_exists)


def drop_function(statement: Drop, planner: Planner) -> None:
    """Carry out DROP FUNCTION.

    Raises:
        DefinitionError: There is none.
    """
    functions = planner.functions
    path = functions.system_path(statement.name[-1]) if statement.system else planner.catalog.path(statement.name)
    functions.drop(path, str(statement.position), temporary=statement.temporary, if_exists=statement.if_exists)


def _checked(function: object, where: str) -> UserFunction:
    if isinstance(function, UserFunction):
        return function
    if isinstance(function, UserDefinedFunction) or callable(function):
        what, now = f"{_shown(function)} has no result type", "Decorate it with @udf(result_type='...')."
    else:
        what, now = f"{function!r} is no function", "Give what udf(...) returns."
    raise DefinitionError(what, where=where, now=now)


def _shown(function: object) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def _imported(name: str, python_files: Iterable[str], where: str) -> object:
    """What ``module.name`` is."""
    module_name, _, own = name.rpartition(".")
    if not module_name:
        raise DefinitionError(
            f"{name!r} names no module", where=where, now="Write AS 'module.function' LANGUAGE PYTHON."
        )
    _find_modules_in(python_files)
    module = _module(module_name, where)
    if not hasattr(module, own):
        now = did_you_mean(own, [one for one, value in vars(module).items() if isinstance(value, UserFunction)])
        raise DefinitionError(f"the module {module_name!r} has no function {own!r}", where=where, now=now)
    return getattr(module, own)


def _module(name: str, where: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except KafkastreamError:
        raise
    except ModuleNotFoundError as error:
        missing = error.name or name
        now = "Put it on PYTHONPATH, or give the file: SET 'python.files' = '/path/of/module.py'."
        if missing != name and not name.startswith(f"{missing}."):
            now = f"The module {name!r} imports it. Install it."
        raise DefinitionError(f"there is no Python module {missing!r}", where=where, now=now) from None
    except Exception as error:
        raise DefinitionError(
            f"the Python module {name!r} cannot be imported: {type(error).__name__}: {error}", where=where
        ) from error


def _find_modules_in(python_files: Iterable[str]) -> None:
    """Let this program import what is shipped to the workers when a job starts."""
    for file in python_files:
        path = local_path(file).absolute()
        place = str(path.parent if path.suffix == ".py" else path)
        if path.exists() and place not in sys.path:
            sys.path.append(place)
