"""Methods of ``TableEnvironment`` about catalogs, modules, models and compiled plans."""

from __future__ import annotations

from typing import Any, Final, NoReturn

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.sql.plan.planning_catalog import View
from kafkastream.sql.quoting import literal, quoted
from kafkastream.sql.syntax.kinds import Shown
from kafkastream.sql.syntax.parser import parse_one
from kafkastream.table.catalog_descriptor import CatalogDescriptor
from kafkastream.table.session.ddl import execute_ddl
from kafkastream.table.session.describe_show import functions
from kafkastream.table.session.session_planner import SessionPlanner

__all__ = ["CatalogEnvironment"]

_CORE: Final = "core"
_UDF: Final = "Make the function in Python by udf, udtf, udaf or udtaf."
_PLANS: Final = "Keep the statement, and execute it again: the job resumes from its checkpoint directory."
_CATALOGS: Final = "list_catalogs, list_databases, list_tables and from_path read catalogs; CREATE TABLE and CREATE DATABASE change them."


class CatalogEnvironment:
    """Part of ``TableEnvironment`` that knows catalogs, modules and models."""

    _planner: SessionPlanner

    def create_catalog(self, catalog_name: str, catalog_descriptor: CatalogDescriptor) -> None:
        """Create a catalog, like ``CREATE CATALOG``.

        Args:
            catalog_name: Name of the catalog.
            catalog_descriptor: Options of the catalog.

        Raises:
            DefinitionError: A catalog of this name exists, or an option is invalid.
        """
        options = catalog_descriptor.configuration.to_dict()
        pairs = ", ".join(f"{literal(key)} = {literal(value)}" for key, value in options.items())
        execute_ddl(parse_one(f"CREATE CATALOG {quoted(catalog_name)} WITH ({pairs})"), self._planner)

    createCatalog = create_catalog

    def get_catalog(self, catalog_name: str) -> NoReturn:
        """Not supported.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise _refused("catalogs as objects", f"get_catalog({catalog_name!r})", _CATALOGS)

    getCatalog = get_catalog

    def register_catalog(self, catalog_name: str, catalog: Any) -> NoReturn:
        """Not supported.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise _refused("catalogs as objects", f"register_catalog({catalog_name!r})", "Use CREATE CATALOG.")

    registerCatalog = register_catalog

    def list_functions(self) -> list[str]:
        """Return the names of all functions, as ``SHOW FUNCTIONS`` does."""
        return functions(Shown.FUNCTIONS, self._planner)

    listFunctions = list_functions

    def list_temporary_tables(self) -> list[str]:
        """Return the names of temporary tables and views in the current database."""
        return list(self._planner.catalog.temporary_names())

    listTemporaryTables = list_temporary_tables

    def list_temporary_views(self) -> list[str]:
        """Return the names of temporary views in the current database."""
        return list(self._planner.catalog.temporary_names(View))

    listTemporaryViews = list_temporary_views

    def list_materialized_tables(self) -> list[str]:
        """Return nothing: there are no materialized tables."""
        return []

    listMaterializedTables = list_materialized_tables

    def list_models(self) -> list[str]:
        """Return nothing: there are no models."""
        return []

    listModels = list_models

    def list_temporary_models(self) -> list[str]:
        """Return nothing: there are no models."""
        return []

    listTemporaryModels = list_temporary_models

    def create_model(self, model_path: str, model_descriptor: Any, ignore_if_exists: bool = False) -> NoReturn:
        """Not supported.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise _refused("models", f"create_model({model_path!r})", "Call the model in a function made by udf.")

    createModel = create_model

    def create_temporary_model(
        self, model_path: str, model_descriptor: Any, ignore_if_exists: bool = False
    ) -> NoReturn:
        """Not supported.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise _refused("models", f"create_temporary_model({model_path!r})", "Call the model in a function made by udf.")

    createTemporaryModel = create_temporary_model

    def drop_model(self, model_path: str, ignore_if_not_exists: bool = True) -> bool:
        """Return False, since there are no models.

        Args:
            model_path: Name of the model.
            ignore_if_not_exists: Return False instead of raising an error.

        Raises:
            DefinitionError: ``ignore_if_not_exists`` is False.
        """
        if not ignore_if_not_exists:
            raise DefinitionError(f"Model with identifier '{model_path}' does not exist.", where="drop_model")
        return False

    dropModel = drop_model

    def drop_temporary_model(self, model_path: str) -> bool:
        """Return False, since there is never a model at ``model_path``."""
        return False

    dropTemporaryModel = drop_temporary_model

    def list_modules(self) -> list[str]:
        """Return the only module, ``core``."""
        return [_CORE]

    listModules = list_modules

    def list_full_modules(self) -> NoReturn:
        """Not supported.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise _refused("modules as objects", "list_full_modules", "list_modules returns the only name, core.")

    listFullModules = list_full_modules

    def load_module(self, module_name: str, module: Any) -> NoReturn:
        """Not supported.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise _refused("modules other than core", f"load_module({module_name!r})", _UDF)

    loadModule = load_module

    def unload_module(self, module_name: str) -> NoReturn:
        """Not supported.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise _refused("a session without core", f"unload_module({module_name!r})", "Leave it out.")

    unloadModule = unload_module

    def use_modules(self, *module_names: str) -> None:
        """Take the only module, ``core``, which is always in use.

        Args:
            module_names: ``core``, and no other name.

        Raises:
            UnsupportedFeatureError: Other modules are named, or none.
        """
        if module_names != (_CORE,):
            raise _refused("modules other than core", f"use_modules{module_names!r}", _UDF)

    useModules = use_modules

    def create_java_function(
        self, path: str, function_class_name: str, ignore_if_exists: bool | None = None
    ) -> NoReturn:
        """Not supported.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise _refused("functions in Java", f"create_java_function({path!r})", _UDF)

    createJavaFunction = create_java_function

    def create_java_temporary_function(self, path: str, function_class_name: str) -> NoReturn:
        """Not supported.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise _refused("functions in Java", f"create_java_temporary_function({path!r})", _UDF)

    createJavaTemporaryFunction = create_java_temporary_function

    def create_java_temporary_system_function(self, name: str, function_class_name: str) -> NoReturn:
        """Not supported.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise _refused("functions in Java", f"create_java_temporary_system_function({name!r})", _UDF)

    createJavaTemporarySystemFunction = create_java_temporary_system_function

    def compile_plan_sql(self, stmt: str) -> NoReturn:
        """Not supported.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise _refused("compiled plans", "compile_plan_sql", _PLANS)

    compilePlanSql = compile_plan_sql

    def load_plan(self, plan_reference: Any) -> NoReturn:
        """Not supported.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise _refused("compiled plans", "load_plan", _PLANS)

    loadPlan = load_plan

    def execute_plan(self, plan_reference: Any) -> NoReturn:
        """Not supported.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise _refused("compiled plans", "execute_plan", _PLANS)

    executePlan = execute_plan


def _refused(what: str, where: str, now: str) -> UnsupportedFeatureError:
    return UnsupportedFeatureError(what, where=where, now=now)
