"""Undocumented names of Spark and py4j are touched in ``kafkastream.spark.internals`` alone, those of Kafka's client nowhere.

Those of sqlglot's parser are touched in its dialect alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

import pytest
from sqlglot.parser import Parser

from tests.package import trees

INTERNALS: Final = "kafkastream/spark/internals/"
DIALECT: Final = "kafkastream/sql/parser/dialect.py"
MATCHES: Final = "kafkastream/sql/parser/match_syntax.py"

DOCUMENTED: Final = frozenset(
    {
        "py4j.protocol",
        "pyspark",
        "pyspark.errors",
        "pyspark.logger",
        "pyspark.sql",
        "pyspark.sql.datasource",
        "pyspark.sql.functions",
        "pyspark.sql.streaming.datasource",
        "pyspark.sql.streaming.query",
        "pyspark.sql.streaming.readwriter",
        "pyspark.sql.streaming.stateful_processor",
        "pyspark.sql.types",
    }
)
"""Modules that Spark's reference of Python describes; of ``pyspark`` itself, ``NAMES``."""
NAMES: Final = frozenset({"SparkConf", "SparkContext", "TaskContext"})
ATTRIBUTES: Final = frozenset({"pythonExec", "environment"})
"""Of ``SparkContext``, public and undocumented."""
PRIVATE: Final = frozenset(
    [
        "_accumulatorServer",
        "_activeSession",
        "_active_spark_context",
        "_gateway",
        "_jdf",
        "_jreader",
        "_jsc",
        "_jsparkSession",
        "_jsq",
        "_jvm",
        "_jwrite",
        "addURL",
        "kafkaOffsetReader",
    ]
)
SETTINGS: Final = frozenset({"spark.python.daemon.module", "sql.streaming.queryId", "streaming.sql.batchId"})
TEXTS: Final = SETTINGS | PRIVATE


def undocumented(tree: ast.AST) -> Iterator[str]:  # noqa: C901 - a table of cases
    """Yield the undocumented names of Spark in a module."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name) if name in PRIVATE:
                yield name
            case ast.Attribute(value=ast.Name("context") | ast.Attribute(attr="sparkContext"), attr=name) if (
                name in ATTRIBUTES
            ):
                yield name
            case ast.Constant(value=str(text)) if text in TEXTS:
                yield text
            case ast.ImportFrom(module=str(module), names=names) if module.partition(".")[0] == "confluent_kafka":
                yield from (part for part in module.split(".") if part == "cimpl" or part.startswith("_"))
            case ast.ImportFrom(module=str(module), names=names) if module.partition(".")[0] in {"pyspark", "py4j"}:
                if module not in DOCUMENTED:
                    yield module
                for one in names:
                    if one.name.startswith("_") or (module == "pyspark" and one.name not in NAMES):
                        yield f"{module}.{one.name}"
            case ast.Import(names=names):
                yield from (one.name for one in names if one.name.startswith(("pyspark.", "py4j")))


def test_no_other_module_touches_undocumented_names() -> None:
    found = {path: sorted(set(undocumented(tree))) for path, tree in trees().items() if not path.startswith(INTERNALS)}
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("context._jvm.java", "_jvm"),
        ("from pyspark import cloudpickle", "pyspark.cloudpickle"),
        ("from pyspark.sql.pandas.types import to_arrow_type", "pyspark.sql.pandas.types"),
        ("import pyspark.daemon", "pyspark.daemon"),
        ("session.sparkContext.pythonExec", "pythonExec"),
        ("from confluent_kafka.admin._config import ConfigResource", "_config"),
        ("context.getLocalProperty('sql.streaming.queryId')", "sql.streaming.queryId"),
    ],
)
def test_such_names_are_found(source: str, name: str) -> None:
    assert list(undocumented(ast.parse(source))) == [name]


PARSER: Final = frozenset(name for name in dir(Parser) if name.startswith("_") and not name.startswith("__"))


def parser_privates(tree: ast.AST) -> Iterator[str]:
    """Yield names of sqlglot's parser that are not public and are asked of an object other than the module's own."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name("self" | "cls")):
                pass
            case ast.Attribute(attr=name) if name in PARSER:
                yield name
            case ast.ImportFrom(module="sqlglot", names=names):
                yield from (one.name for one in names if one.name == "parser")
            case ast.ImportFrom(module=str(module)) if module.startswith("sqlglot.") and module not in (
                "sqlglot.errors",
                "sqlglot.tokens",
            ):
                yield module


def test_parts_of_sqlglots_parser_are_touched_in_the_dialect_alone() -> None:
    found = {path: sorted(set(parser_privates(tree))) for path, tree in trees().items()}
    assert [path for path, names in found.items() if names] == [DIALECT, MATCHES]


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("parser._match(TokenType.COMMA)", "_match"),
        ("self._parser._tokens[0]", "_tokens"),
        ("from sqlglot import exp, parser", "parser"),
        ("from sqlglot.parser import Parser", "sqlglot.parser"),
    ],
)
def test_parts_of_sqlglots_parser_are_found(source: str, name: str) -> None:
    assert name in PARSER or name.endswith("parser")
    assert list(parser_privates(ast.parse(source))) == [name]
