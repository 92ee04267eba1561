"""What a table environment does with functions of the user's."""

from __future__ import annotations

from kafkastream.options.job import PYTHON_FILES
from kafkastream.sql.catalog import name_of
from kafkastream.sql.user_functions import UserFunction
from kafkastream.table.functions import create_function, create_system_function
from kafkastream.table.planning import Planner

__all__ = ["FunctionEnvironment"]


class FunctionEnvironment:
    """The methods of ``TableEnvironment`` that give functions names, and take them away."""

    _planner: Planner

    def create_temporary_function(self, path: str, function: UserFunction) -> None:
        """Have SQL call a function by a name, of the current database if it has no other.

        Raises:
            DefinitionError: There is one of this name, or it is not what ``udf`` returns.

        Example:
            >>> from kafkastream.table.udf import udf
            >>> from kafkastream.table import EnvironmentSettings, TableEnvironment
            >>> t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
            >>> t_env.create_temporary_function("add_one", udf(lambda i: i + 1, result_type="BIGINT"))
            >>> t_env.list_user_defined_functions()
            ['add_one']
        """
        where = f"create_temporary_function({path!r})"
        create_function(name_of(path), function, self._planner, where, temporary=True)

    createTemporaryFunction = create_temporary_function

    def create_temporary_system_function(self, name: str, function: UserFunction) -> None:
        """Have SQL call a function by a name, whichever the current database; it comes before a built-in one.

        Raises:
            DefinitionError: There is one of this name, or it is not what ``udf`` returns.
            UnsupportedFeatureError: It is the name of a built-in aggregate, or of what has a grammar of its own.
        """
        create_system_function(name, function, self._planner, f"create_temporary_system_function({name!r})")

    createTemporarySystemFunction = create_temporary_system_function

    def drop_temporary_function(self, path: str) -> bool:
        """Forget a temporary function; tells whether there was one."""
        return self._planner.functions.drop(
            self._planner.catalog.path(name_of(path)), path, temporary=True, if_exists=True
        )

    dropTemporaryFunction = drop_temporary_function

    def drop_temporary_system_function(self, name: str) -> bool:
        """Forget a temporary system function; tells whether there was one."""
        functions = self._planner.functions
        return functions.drop(functions.system_path(name), name, temporary=True, if_exists=True)

    dropTemporarySystemFunction = drop_temporary_system_function

    def list_user_defined_functions(self) -> list[str]:
        """The names of the user's functions: system functions, and those of the current database."""
        return self._planner.functions.names(self._planner.catalog.current)

    listUserDefinedFunctions = list_user_defined_functions

    def add_python_file(self, file_path: str) -> None:
        """Ship a Python file, or a zip archive of packages, to the workers, where functions can import it.

        Differs from Flink: a directory has to be zipped.
        """
        configuration = self._planner.config.get_configuration()
        files = (*configuration.get(PYTHON_FILES), file_path)
        self._planner.config.set(PYTHON_FILES.key, ",".join(files))

    addPythonFile = add_python_file
