"""Imports user-defined functions by module path."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable
from types import ModuleType

from kafkastream.errors import DefinitionError, KafkastreamError
from kafkastream.options.local_paths import local_path
from kafkastream.sql.table_options import did_you_mean
from kafkastream.sql.user_functions import TableFunction, UserDefinedFunction, UserFunction

__all__ = ["checked_function", "imported_function"]


def checked_function(function: object, where: str) -> UserFunction:
    """Check that an object is a function made by ``udf``, ``udtf``, ``udaf`` or ``udtaf``, and return it.

    Raises:
        DefinitionError: It is something else.
    """
    if isinstance(function, UserFunction):
        return function
    if isinstance(function, UserDefinedFunction) or callable(function):
        maker = "@udtf(result_types=[...])" if isinstance(function, TableFunction) else "@udf(result_type='...')"
        what, now = f"{_shown(function)} has no result type", f"Decorate it with {maker}."
    else:
        what, now = f"{function!r} is not a function", "Give the result of udf(...)."
    raise DefinitionError(what, where=where, now=now)


def _shown(function: object) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def imported_function(name: str, python_files: Iterable[str], where: str) -> object:
    """Import the object ``module.name``.

    Args:
        name: Path of the object.
        python_files: Additional files and folders with modules (``python.files``).
        where: Place of the name, for errors.

    Raises:
        DefinitionError: The module cannot be imported, or lacks the name.
    """
    module_name, _, own = name.rpartition(".")
    if not module_name:
        raise DefinitionError(f"{name!r} has no module", where=where, now="Write AS 'module.function' LANGUAGE PYTHON.")
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
    """Make the files that are shipped to workers importable in this program."""
    for file in python_files:
        path = local_path(file).absolute()
        place = str(path.parent if path.suffix == ".py" else path)
        if path.exists() and place not in sys.path:
            sys.path.append(place)
