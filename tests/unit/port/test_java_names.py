"""Tables of names: each is there, and each method of Flink's that a table renames."""

from __future__ import annotations

import ast
import builtins
import importlib

import pytest

from kafkastream.port.dates import python_pattern
from kafkastream.port.flink_types import STREAMS
from kafkastream.port.library import METHODS
from kafkastream.port.library_statics import STATEMENTS, STATICS
from kafkastream.port.marks import Untranslated
from kafkastream.port.names import EXCEPTIONS, IMPORTS, JAVA_NAMES, api_class, snake_case


def test_each_name_can_be_imported() -> None:
    absent = [
        f"{module}.{name}"
        for name, module in IMPORTS.items()
        if not (hasattr(importlib.import_module(module), name) if module else importlib.import_module(name))
    ]
    assert absent == []


def test_other_names_of_java_lead_to_classes_of_kafkastream() -> None:
    assert [java for java, python in JAVA_NAMES.items() if api_class(python) is None] == []
    assert [stream for stream in STREAMS if api_class(stream) is None] == []


def test_exceptions_are_those_of_python() -> None:
    assert [python for python in EXCEPTIONS.values() if not hasattr(builtins, python)] == []


def test_templates_are_python() -> None:
    templates = [one[0] for table in (*METHODS.values(), STATEMENTS, STATICS) for one in table.values()]
    for template in templates:
        ast.parse(template)


@pytest.mark.parametrize(
    ("java", "python"),
    [("processElement1", "process_element1"), ("executeSql", "execute_sql"), ("getJSONText", "get_json_text")],
)
def test_methods_are_spelled_as_in_python(java: str, python: str) -> None:
    assert snake_case(java) == python


def test_patterns_of_dates() -> None:
    assert python_pattern("yyyy-MM-dd'T'HH:mm") == "%Y-%m-%dT%H:%M"
    with pytest.raises(Untranslated, match="no directive for w"):
        python_pattern("ww")
