"""Parameters of a job, as Flink's ParameterTool reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.util.parameter_tool import MultipleParameterTool, ParameterTool


def test_parameters_have_one_or_two_dashes_and_may_be_flags() -> None:
    tool = ParameterTool.from_args(["--topic", "orders", "-offset", "-5", "--dry", "--rate", "0.5"])
    assert tool.get("topic") == "orders"
    assert tool.get_int("offset") == -5
    assert tool.get_double("rate") == 0.5
    assert tool.has("dry")
    assert tool.get_number_of_parameters() == 4


def test_defaults_and_required_parameters() -> None:
    tool = ParameterTool.from_map({"a": "TRUE", "n": "x"})
    assert tool.get("b", "default") == "default"
    assert tool.get_boolean("a") is True
    assert tool.get_long("missing", 7) == 7
    with pytest.raises(DefinitionError, match="No data for required key 'b'"):
        tool.get_required("b")
    with pytest.raises(DefinitionError, match="'n' is not a number"):
        tool.get_int("n")


def test_a_value_without_a_name_is_refused() -> None:
    with pytest.raises(DefinitionError, match="prefix keys with -- or -"):
        ParameterTool.from_args(["orders"])


def test_properties_files(tmp_path: Path) -> None:
    file = tmp_path / "job.properties"
    file.write_text("# brokers\nbootstrap.servers=a:1,\\\n  b:2\ngroup.id: shop\n")
    tool = ParameterTool.from_properties_file(file)
    assert tool.get_properties() == {"bootstrap.servers": "a:1,b:2", "group.id": "shop"}
    merged = tool.merge_with(ParameterTool.from_map({"group.id": "other"}))
    assert merged.to_map()["group.id"] == "other"
    with pytest.raises(DefinitionError, match="does not exist"):
        ParameterTool.from_properties_file(tmp_path / "no.properties")


def test_parameters_that_are_given_several_times() -> None:
    tool = MultipleParameterTool.from_args(["--input", "a", "--input", "b"])
    assert tool.get_multi_parameter_required("input") == ["a", "b"]
    assert tool.get_multi_parameter("output") is None
