"""User-defined functions of a pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kafkastream.cdc.spec.settings import PipelineFunction
from kafkastream.sql.function_imports import checked_function, imported_function
from kafkastream.sql.session_functions import NamedFunction, SessionFunctions

__all__ = ["named_functions"]


def named_functions(functions: Iterable[PipelineFunction], python_files: Sequence[str]) -> tuple[NamedFunction, ...]:
    """Import the functions that expressions may call.

    Args:
        functions: Names and paths of the functions.
        python_files: Files that are added to the import path.

    Raises:
        DefinitionError: A function does not exist, or was not made by ``udf``.
    """
    known = SessionFunctions()
    for one in functions:
        where = f"pipeline, user-defined-function {one.name}"
        function = checked_function(imported_function(one.classpath, python_files, where), where)
        known.create(SessionFunctions.system_path(one.name), function, where, temporary=False)
    return tuple(known.known.values())
