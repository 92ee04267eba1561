"""Files of a program: the project's classes are found, other languages are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from kafkastream.cli import main
from kafkastream.errors import DefinitionError
from kafkastream.port.program import port_program

JOB = """
package shop;

import shop.model.Order;

public class Job {
    public static void main(String[] args) {
        Order order = new Order("tea", 2);
        System.out.println(order.getItem() + " " + Prices.of(order));
    }
}
"""
ORDER = """
package shop.model;

public class Order {
    private String item;
    private int count;

    public Order(String item, int count) {
        this.item = item;
        this.count = count;
    }

    public String getItem() {
        return item;
    }

    public int getCount() {
        return count;
    }
}
"""
PRICES = """
package shop;

import shop.model.Order;

class Prices {
    static int of(Order order) {
        return order.getCount() * 3;
    }
}
"""


@pytest.fixture
def job(tmp_path: Path) -> Path:
    root = tmp_path / "src" / "main" / "java" / "shop"
    (root / "model").mkdir(parents=True)
    (root / "model" / "Order.java").write_text(ORDER)
    (root / "Prices.java").write_text(PRICES)
    (root / "Unused.java").write_text("package shop; class Unused { }")
    (root / "Job.java").write_text(JOB)
    return root / "Job.java"


def test_classes_of_the_project_come_along(job: Path) -> None:
    ported = port_program([job])
    assert [Path(one).name for one in ported.files] == ["Job.java", "Order.java", "Prices.java"]
    assert 'print(f"{java_text(order.item)} {Prices.of(order)}")' in ported.text
    assert ported.marks == ()


def test_the_command_writes_the_program_and_says_what_is_next(job: Path, tmp_path: Path) -> None:
    output = tmp_path / "job.py"
    result = CliRunner().invoke(main, ["port", str(job), "-o", str(output)])
    assert result.exit_code == 0, result.output
    assert "lines translated (100%), from 3 files" in result.output
    assert f"Next: kafkastream run {output}" in result.output
    assert output.read_text().startswith('"""Ported by kafkastream port from Job.java')
    assert "--force replaces it" in CliRunner().invoke(main, ["port", str(job), "-o", str(output)]).output


@pytest.mark.parametrize(("name", "language"), [("Job.kt", "Kotlin"), ("Job.scala", "Scala")])
def test_other_languages_are_refused(name: str, language: str, tmp_path: Path) -> None:
    (tmp_path / name).touch()
    with pytest.raises(DefinitionError, match=f"{name} is {language}: only Java is ported"):
        port_program([tmp_path / name])


def test_lines_that_are_no_java_are_marked(tmp_path: Path) -> None:
    (tmp_path / "Job.java").write_text("public class Job {\n  int a = = 1;\n}\n")
    assert [mark.reason for mark in port_program([tmp_path / "Job.java"]).marks][:1] == ["this is not valid Java"]
