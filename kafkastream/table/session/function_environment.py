"""Methods of ``TableEnvironment`` that register and drop user-defined functions."""

from __future__ import annotations

from kafkastream.options.job import PYTHON_ARCHIVES, PYTHON_FILES, PYTHON_REQUIREMENTS
from kafkastream.sql.catalog import name_of
from kafkastream.sql.user_functions import AggregateFunction, TableAggregateFunction, UserFunction
from kafkastream.table.session.function_registration import create_function, create_system_function
from kafkastream.table.session.session_planner import SessionPlanner

__all__ = ["FunctionEnvironment"]

Function = UserFunction | AggregateFunction | TableAggregateFunction


class FunctionEnvironment:
    """Part of ``TableEnvironment`` that registers user-defined functions."""

    _planner: SessionPlanner

    def create_temporary_function(self, path: str, function: Function) -> None:
        """Register a function under a name in a catalog and database.

        Args:
            path: Name, by default in the current catalog and database.
            function: Function made by ``udf``, ``udtf``, ``udaf`` or ``udtaf``; or an aggregate function that declares its
                types.

        Raises:
            DefinitionError: A function of this name exists, or ``function`` has no types.

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

    def create_temporary_system_function(self, name: str, function: Function) -> None:
        """Register a function under a name without catalog and database; it takes precedence over a built-in one.

        Args:
            name: Name of the function.
            function: Function made by ``udf``, ``udtf``, ``udaf`` or ``udtaf``; or an aggregate function that declares its
                types.

        Raises:
            DefinitionError: A function of this name exists, or ``function`` has no types.
            UnsupportedFeatureError: The name is that of a built-in aggregate, or of a function with its own grammar.
        """
        create_system_function(name, function, self._planner, f"create_temporary_system_function({name!r})")

    createTemporarySystemFunction = create_temporary_system_function

    def drop_function(self, path: str) -> bool:
        """Drop a permanent function, made by ``CREATE FUNCTION``, and return whether it existed.

        Args:
            path: Name, with or without catalog and database.

        Raises:
            DefinitionError: A temporary function of this name exists.
        """
        return self._planner.functions.drop(
            self._planner.catalog.path(name_of(path)), path, temporary=False, if_exists=True
        )

    dropFunction = drop_function

    def drop_temporary_function(self, path: str) -> bool:
        """Drop a temporary function, and return whether it existed.

        Args:
            path: Name, with or without catalog and database.
        """
        return self._planner.functions.drop(
            self._planner.catalog.path(name_of(path)), path, temporary=True, if_exists=True
        )

    dropTemporaryFunction = drop_temporary_function

    def drop_temporary_system_function(self, name: str) -> bool:
        """Drop the temporary system function ``name``, and return whether it existed."""
        functions = self._planner.functions
        return functions.drop(functions.system_path(name), name, temporary=True, if_exists=True)

    dropTemporarySystemFunction = drop_temporary_system_function

    def list_user_defined_functions(self) -> list[str]:
        """Return the names of user-defined functions: system functions, and those in the current database."""
        return self._planner.functions.names(self._planner.catalog.current)

    listUserDefinedFunctions = list_user_defined_functions

    def add_python_file(self, file_path: str) -> None:
        """Ship a Python file, or a zip archive of packages, to the workers, where functions can import it.

        Differs from Flink: a directory has to be zipped first.

        Args:
            file_path: Path of a ``.py`` or ``.zip`` file.
        """
        configuration = self._planner.config.get_configuration()
        files = (*configuration.get(PYTHON_FILES), file_path)
        self._planner.config.set(PYTHON_FILES.key, ",".join(files))

    addPythonFile = add_python_file

    def set_python_requirements(self, requirements_file_path: str, requirements_cache_dir: str | None = None) -> None:
        """Take a requirements file, which has no effect: a warning names what to do when a job starts.

        Args:
            requirements_file_path: Path of the file.
            requirements_cache_dir: No effect.
        """
        self._planner.config.set(PYTHON_REQUIREMENTS.key, requirements_file_path)

    setPythonRequirements = set_python_requirements

    def add_python_archive(self, archive_path: str, target_dir: str | None = None) -> None:
        """Name an archive for the workers, which is refused when a job starts, with what to do instead.

        Args:
            archive_path: Path of the archive.
            target_dir: Directory to unpack it to.
        """
        configuration = self._planner.config.get_configuration()
        archive = archive_path if target_dir is None else f"{archive_path}#{target_dir}"
        self._planner.config.set(PYTHON_ARCHIVES.key, ",".join((*configuration.get(PYTHON_ARCHIVES), archive)))

    addPythonArchive = add_python_archive
