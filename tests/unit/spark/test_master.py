from __future__ import annotations

from pathlib import Path

import pytest

from kafkastream.spark.session.master import given_master

SUBMIT = "PYSPARK_SUBMIT_ARGS"


@pytest.mark.parametrize(
    ("environment", "master"),
    [
        ({}, None),
        ({"MASTER": "spark://a:1"}, "spark://a:1"),
        ({SUBMIT: "pyspark-shell", "MASTER": "yarn"}, "yarn"),
        ({SUBMIT: "--master spark://a:1 pyspark-shell", "MASTER": "yarn"}, "spark://a:1"),
        ({SUBMIT: "--master=spark://a:1 pyspark-shell"}, "spark://a:1"),
        ({SUBMIT: "--conf spark.master=spark://a:1 --conf spark.app.name=x pyspark-shell"}, "spark://a:1"),
        ({SUBMIT: "--conf spark.master=yarn --master spark://a:1 pyspark-shell"}, "spark://a:1"),
        ({SUBMIT: "--conf 'spark.driver.extraJavaOptions=-Da=b -Dc=d' pyspark-shell"}, None),
    ],
)
def test_master_is_found_where_spark_submit_looks(
    environment: dict[str, str], master: str | None, tmp_path: Path
) -> None:
    assert given_master(environment, tmp_path) == master


@pytest.mark.parametrize(
    "line", ["spark.master spark://a:1", "  spark.master=spark://a:1", "spark.master:\tspark://a:1"]
)
def test_defaults_count_after_arguments_and_before_the_variable(line: str, tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "spark-defaults.conf").write_text(f"# spark.master local\nspark.masterly no\n{line}\n")
    assert given_master({"MASTER": "yarn"}, tmp_path) == "spark://a:1"
    assert given_master({"SPARK_CONF_DIR": str(tmp_path / "conf")}, tmp_path / "elsewhere") == "spark://a:1"
    assert given_master({SUBMIT: "--master k8s://b pyspark-shell"}, tmp_path) == "k8s://b"
    other = tmp_path / "other.conf"
    other.write_text("spark.master yarn\n")
    assert given_master({SUBMIT: f"--properties-file {other} pyspark-shell"}, tmp_path) == "yarn"
