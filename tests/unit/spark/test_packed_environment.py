"""What is packed of an environment; ``tests/cluster`` ships a whole one."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from kafkastream.cli import main
from kafkastream.errors import WorkerDependencyError
from kafkastream.spark.job.cluster_checks import Answer, check_answers
from kafkastream.spark.session import packed_environment as packing


def test_what_is_left_out_takes_its_metadata_along_and_nothing_of_others() -> None:
    names = packing.package_files({"PySpark", "protobuf", "typing_extensions"})
    assert {"pyspark", "typing_extensions.py"} <= names
    assert any(name.startswith("pyspark-") for name in names)
    assert not names & {"pandas", "pyarrow", "kafkastream"}


@pytest.mark.parametrize("name", ["env.zip", "env.tar", "env"])
def test_other_archives_are_refused(name: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["pack", "-o", str(tmp_path / name)])
    assert result.exit_code == 2
    assert "is not an archive that Spark unpacks completely; expected one of .tar.gz, .tgz" in result.stderr


def test_another_version_on_an_executor_is_refused() -> None:
    with pytest.raises(WorkerDependencyError, match=r"the executor on far has kafkastream 0\.0\.1, the driver "):
        check_answers([Answer("far", "0.0.1", "")], "job 'x'", "/checkpoints")
