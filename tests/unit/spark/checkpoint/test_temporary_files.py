"""Files of a job without a checkpoint directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkastream.errors import StorageError
from kafkastream.spark.session.checkpoint_files import TemporaryFiles


@pytest.fixture
def files(tmp_path: Path) -> TemporaryFiles:
    return TemporaryFiles(tmp_path / "root")


def test_last_text_of_a_file_is_read(files: TemporaryFiles) -> None:
    assert (files.read("a"), files.read_replaced("a"), files.names("")) == (None, None, [])
    for text in ("1", "ü"):
        files.replace("a", text)
        assert (files.read("a"), files.read_replaced("a"), files.names("")) == (text, text, ["a"])


def test_files_and_folders_are_deleted(files: TemporaryFiles) -> None:
    for name in ("q/offsets/0", "q.json"):
        files.replace(name, "")
    for name in ("q", "q.json", "q.json"):
        files.delete(name)
    assert files.names("") == []


def test_location_is_that_of_the_local_disk(files: TemporaryFiles) -> None:
    assert files.location("q") == f"file:{files.root}/q"


def test_root_is_its_owners(files: TemporaryFiles) -> None:
    for _ in range(2):
        files.make_private()
    assert files.root.stat().st_mode & 0o777 == 0o700


def test_failure_of_the_disk_is_told_with_the_path(files: TemporaryFiles) -> None:
    files.root.write_text("in the way")
    with pytest.raises(StorageError, match=f"cannot write {files.root}/a"):
        files.replace("a", "1")
