"""Share of a JVM in the archive of classes: who writes it, who reads it, and who has none."""

from __future__ import annotations

import subprocess
from pathlib import Path

import attrs
import pytest

from kafkastream.spark.session.class_archive import ArchivedClasses, archive_of, class_archive


@attrs.frozen
class Machine:
    """Folders of a machine."""

    archives: Path
    java: Path

    def archive(self, *settings: str) -> Path:
        """Return the archive of JVMs with these settings."""
        return archive_of(self.archives, [self.java], settings)

    def share(self, *settings: str, options: str = "", **environment: str) -> ArchivedClasses:
        """Return the share of a JVM that has ended at once."""
        with class_archive(self.archive(*settings), environment, options) as classes:
            return attrs.evolve(classes, lock=None)

    def file(self, kind: str) -> Path:
        """Return the only file of a kind."""
        (file,) = self.archives.glob(f"*.{kind}")
        return file


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    (tmp_path / "archives").mkdir()
    (tmp_path / "java").touch()
    return Machine(tmp_path / "archives", tmp_path / "java")


def written_by(machine: Machine) -> Path:
    """Return the file that the next JVM would write."""
    return fresh_file(machine.share())


def fresh_file(classes: ArchivedClasses) -> Path:
    name, _, path = classes.options[0].partition("=")
    assert name == "-XX:ArchiveClassesAtExit"
    return Path(path)


def reads(classes: ArchivedClasses) -> bool:
    return any(option.startswith("-XX:SharedArchiveFile=") for option in classes.options)


def test_the_second_jvm_reads_what_the_first_has_written(machine: Machine) -> None:
    fresh = written_by(machine)
    fresh.write_bytes(b"\xf0\x0b classes")
    options = machine.share().options
    assert f"-XX:SharedArchiveFile={machine.file('jsa')}" in options
    assert machine.file("jsa").read_bytes() == b"\xf0\x0b classes"
    assert not fresh.exists()


def test_one_jvm_writes_at_a_time(machine: Machine) -> None:
    with class_archive(machine.archive(), {}) as classes:
        assert classes.inherited
        assert machine.share() == ArchivedClasses()
        fresh_file(classes).write_bytes(b"\xf0 half")
        assert machine.share() == ArchivedClasses()
    assert reads(machine.share())


def test_a_jvm_that_outlives_its_start_holds_the_lock(machine: Machine) -> None:
    with class_archive(machine.archive(), {}) as classes:
        jvm = subprocess.Popen(["cat"], stdin=subprocess.PIPE, pass_fds=classes.inherited)
    assert machine.share() == ArchivedClasses()
    jvm.communicate()
    assert fresh_file(machine.share()) == fresh_file(classes)


def test_an_archive_without_its_header_is_written_again(machine: Machine) -> None:
    fresh = written_by(machine)
    fresh.write_bytes(bytes(100))  # its JVM was killed
    assert written_by(machine) == fresh
    assert not fresh.exists()


def test_another_java_has_an_archive_of_its_own(machine: Machine, tmp_path: Path) -> None:
    written_by(machine).write_bytes(b"\xf0")
    assert reads(machine.share())
    (tmp_path / "other").touch()
    assert fresh_file(attrs.evolve(machine, java=tmp_path / "other").share())
    assert fresh_file(machine.share("a folder of settings"))


@pytest.mark.parametrize(
    "given",
    [
        {"KAFKASTREAM_CLASS_ARCHIVE": "off"},
        {"options": "-Xmx1g -XX:SharedArchiveFile=own.jsa"},
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
        fresh_file(machine.share(name)).write_bytes(b"\xf0")
        assert reads(machine.share(name))
    assert len(list(machine.archives.glob("*.jsa"))) == 2
