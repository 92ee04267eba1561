"""The archives of a release hold the package, its license and nothing else; ``make release-check`` also installs them."""

from __future__ import annotations

import zipfile
from pathlib import Path

import attrs
import pytest

from tests.release.archives import Archives, built, faults, supported_pythons


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Archives:
    return built(tmp_path_factory.mktemp("release"))


def test_archives_hold_the_package_and_its_metadata(archives: Archives) -> None:
    assert faults(archives) == []


def test_each_supported_python_has_a_classifier(archives: Archives) -> None:
    assert supported_pythons(archives) == ["3.10", "3.11", "3.12", "3.13"]


def changed(archives: Archives, folder: Path, *, without: str = "", **more: str) -> Archives:
    """The archives with another wheel."""
    path = folder / archives.wheel.name
    with zipfile.ZipFile(archives.wheel) as given, zipfile.ZipFile(path, "w") as wheel:
        for name in given.namelist():
            if name != without:
                text = given.read(name)
                for old, new in more.items():
                    text = text.replace(old.encode(), new.encode()) if name.endswith("/METADATA") else text
                wheel.writestr(name, text)
    return attrs.evolve(archives, wheel=path)


def test_missing_and_foreign_files_are_faults(archives: Archives, tmp_path: Path) -> None:
    wheel = changed(archives, tmp_path, without="kafkastream/py.typed")
    with zipfile.ZipFile(wheel.wheel, "a") as more:
        more.writestr("tests/test_job.py", "")
    assert faults(wheel) == [
        "wheel: kafkastream/py.typed is missing",
        "wheel: tests/test_job.py does not belong there",
    ]


def test_wheel_without_the_license_of_the_job_page_is_a_fault(archives: Archives, tmp_path: Path) -> None:
    name = f"{archives.wheel.name.partition('-py3')[0]}.dist-info/licenses/kafkastream/page/assets/preact.LICENSE"
    (fault,) = faults(changed(archives, tmp_path, without=name))
    assert fault.endswith("preact.LICENSE is missing")


def test_metadata_that_no_index_would_take_are_a_fault(archives: Archives, tmp_path: Path) -> None:
    (fault,) = faults(changed(archives, tmp_path, **{"License-Expression: Apache-2.0": "License-Expression: Apache 2"}))
    assert "license-expression" in fault


def test_version_without_changes_is_a_fault(archives: Archives, tmp_path: Path) -> None:
    version = archives.wheel.name.split("-")[1]
    wheel = changed(archives, tmp_path, **{f"Version: {version}\n": "Version: 99.0\n"})
    assert faults(wheel) == ["CHANGELOG.md has no section for 99.0"]
