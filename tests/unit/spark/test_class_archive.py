"""Share of a JVM in the archive of classes: who writes it, who reads it, and who has none."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from kafkastream.spark.session.class_archive import ArchivedClasses, class_archive


@attrs.frozen
class Machine:
    """Folders of a machine."""

    archives: Path
    spark: Path
    environment: dict[str, str]

    def share(self, **more: str) -> ArchivedClasses:
        """Return the share of a JVM that has ended at once."""
        with class_archive(self.archives, self.spark, {**self.environment, **more}) as classes:
            return attrs.evolve(classes, lock=None)

    def file(self, kind: str) -> Path:
        """Return the only file of a kind."""
        (file,) = self.archives.glob(f"*.{kind}")
        return file


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    for name in ("archives", "spark/jars", "java/bin"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "java/bin/java").touch()
    return Machine(tmp_path / "archives", tmp_path / "spark", {"JAVA_HOME": str(tmp_path / "java")})


def written_by(machine: Machine) -> Path:
    """Return the file that the next JVM would write."""
    option = machine.share().options.split('"')[1]
    assert option.startswith("-XX:ArchiveClassesAtExit=")
    return Path(option.partition("=")[2])


def test_the_second_jvm_reads_what_the_first_has_written(machine: Machine) -> None:
    fresh = written_by(machine)
    fresh.write_bytes(b"\xf0\x0b classes")
    assert machine.share().options.startswith(f'"-XX:SharedArchiveFile={machine.file("jsa")}"')
    assert machine.file("jsa").read_bytes() == b"\xf0\x0b classes"
    assert not fresh.exists()


def test_one_jvm_writes_at_a_time(machine: Machine) -> None:
    with class_archive(machine.archives, machine.spark, machine.environment) as classes:
        assert classes.lock is not None
        assert machine.share() == ArchivedClasses()
        Path(classes.options.split('"')[1].partition("=")[2]).write_bytes(b"\xf0 half")
        assert machine.share() == ArchivedClasses()
    assert "SharedArchiveFile" in machine.share().options


def test_an_archive_without_its_header_is_written_again(machine: Machine) -> None:
    fresh = written_by(machine)
    fresh.write_bytes(bytes(100))  # its JVM was killed
    assert written_by(machine) == fresh
    assert not fresh.exists()


def test_another_java_has_an_archive_of_its_own(machine: Machine, tmp_path: Path) -> None:
    written_by(machine).write_bytes(b"\xf0")
    assert "SharedArchiveFile" in machine.share().options
    (tmp_path / "other/bin").mkdir(parents=True)
    (tmp_path / "other/bin/java").touch()
    assert "ArchiveClassesAtExit" in machine.share(JAVA_HOME=str(tmp_path / "other")).options
    assert "ArchiveClassesAtExit" in machine.share(HADOOP_CONF_DIR="elsewhere").options


@pytest.mark.parametrize(
    "given",
    [
        {"KAFKASTREAM_CLASS_ARCHIVE": "off"},
        {"SPARK_SUBMIT_OPTS": "-Xmx1g -XX:SharedArchiveFile=own.jsa"},
        {"JAVA_TOOL_OPTIONS": "-Xshare:off"},
    ],
)
def test_the_user_decides(machine: Machine, given: dict[str, str]) -> None:
    assert machine.share(**given) == ArchivedClasses()
    assert not list(machine.archives.iterdir())


def test_a_folder_that_cannot_be_written_to_has_no_archive(machine: Machine) -> None:
    machine.archives.rmdir()
    assert machine.share() == ArchivedClasses()


def test_two_archives_are_kept(machine: Machine) -> None:
    for name in "abc":
        fresh = Path(machine.share(HADOOP_CONF_DIR=name).options.split('"')[1].partition("=")[2])
        fresh.write_bytes(b"\xf0")
        assert "SharedArchiveFile" in machine.share(HADOOP_CONF_DIR=name).options
    assert len(list(machine.archives.glob("*.jsa"))) == 2
