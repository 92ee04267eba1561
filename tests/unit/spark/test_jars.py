"""The jars are fetched once, whole, from the registry that the user names; here a registry in a folder."""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kafkastream.errors import JarsUnavailableError, JavaNotFoundError
from kafkastream.spark import jars
from kafkastream.spark.jars import broker_jars, connector_jars, find_java

POM = """<project><modelVersion>4.0.0</modelVersion>
<groupId>{org}</groupId><artifactId>{name}</artifactId><version>{rev}</version></project>"""
SETTINGS = """<ivysettings><settings defaultResolver="mirror"/><resolvers>
<ibiblio name="mirror" m2compatible="true" root="{root}"/></resolvers></ivysettings>"""
CONNECTOR = f"spark-sql-kafka-0-10_2.13-{version('pyspark')}.jar"


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A registry with every module that ivy.xml names, and an empty cache."""
    if shutil.which("java") is None and not os.environ.get("CI"):
        pytest.skip("no Java on this machine")
    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.setenv("KAFKASTREAM_JARS_DIR", str(tmp_path / "jars"))
    root = tmp_path / "registry"
    for dependency in ElementTree.parse(Path(jars.__file__).with_name("ivy.xml")).iter("dependency"):
        publish(root, dependency.attrib["org"], dependency.attrib["name"], dependency.attrib["rev"])
    use_registry(tmp_path, root.as_uri() + "/", monkeypatch)
    return root


def publish(root: Path, org: str, name: str, rev: str) -> None:
    rev = rev.replace("${spark.version}", version("pyspark"))
    folder = root / org.replace(".", "/") / name / rev
    folder.mkdir(parents=True)
    (folder / f"{name}-{rev}.pom").write_text(POM.format(org=org, name=name, rev=rev))
    (folder / f"{name}-{rev}.jar").write_bytes(name.encode())
    (folder / f"{name}-{rev}.jar.sha1").write_text(hashlib.sha1(name.encode()).hexdigest())


def use_registry(folder: Path, root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = folder / "ivysettings.xml"
    settings.write_text(SETTINGS.format(root=root))
    monkeypatch.setenv("KAFKASTREAM_IVY_SETTINGS", str(settings))


def names(paths: tuple[Path, ...]) -> list[str]:
    return [path.name for path in paths]


def test_connector_fits_the_installed_spark(registry: Path) -> None:
    assert names(connector_jars()) == [CONNECTOR]


def test_broker_has_a_quiet_logger(registry: Path) -> None:
    found = names(broker_jars())
    assert any(name.startswith("kafka_2.13-4.") for name in found)
    assert any(name.startswith("slf4j-simple-1.7.") for name in found)


def test_progress_is_told_on_stderr_once(registry: Path, capfd: pytest.CaptureFixture[str]) -> None:
    connector_jars()
    first = capfd.readouterr()
    connector_jars()
    second = capfd.readouterr()
    assert first.out == second.out == second.err == ""
    assert "Fetching the connector jars" in first.err


def test_fetched_jars_need_neither_java_nor_registry(registry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched = connector_jars()
    shutil.rmtree(registry)
    monkeypatch.setenv("JAVA_HOME", str(registry))
    assert connector_jars() == fetched


def test_copied_folder_works_elsewhere(registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connector_jars()
    copy = shutil.copytree(tmp_path / "jars", tmp_path / "copy")
    shutil.rmtree(registry)
    monkeypatch.setenv("KAFKASTREAM_JARS_DIR", str(copy))
    (jar,) = connector_jars()
    assert jar.is_relative_to(copy)


def test_lost_jar_is_fetched_again(registry: Path) -> None:
    (jar,) = connector_jars()
    jar.unlink()
    assert connector_jars() == (jar,)
    assert jar.is_file()


def test_folder_without_its_marker_is_fetched_again(registry: Path) -> None:
    (jar,) = connector_jars()
    (jar.parent / "complete").unlink()
    jar.write_bytes(b"half a ja")
    assert connector_jars()[0].read_bytes() == b"spark-sql-kafka-0-10_2.13"


def test_rest_of_a_killed_fetch_is_cleared(registry: Path) -> None:
    (jar,) = connector_jars()
    rest = jar.parent.with_name("connector-killed")
    jar.parent.rename(rest)
    connector_jars()
    assert not rest.exists()


def test_two_processes_at_once_get_the_same_jars(registry: Path) -> None:
    code = "from kafkastream.spark.jars import connector_jars; print(*connector_jars())"
    both = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    printed = [process.communicate(timeout=60)[0].strip() for process in both]
    assert printed == [str(connector_jars()[0])] * 2


def test_wrong_checksum_is_refused(registry: Path) -> None:
    next(registry.rglob(CONNECTOR)).write_bytes(b"not what was published")
    with pytest.raises(JarsUnavailableError, match="spark-sql-kafka") as raised:
        connector_jars()
    assert "invalid sha1" in raised.value.where


def test_missing_module_is_named(registry: Path) -> None:
    shutil.rmtree(registry / "org" / "slf4j")
    with pytest.raises(JarsUnavailableError, match=r"could not be had: org\.slf4j#slf4j-simple;1\.7") as raised:
        broker_jars()
    assert "kafka_2.13" not in raised.value.what


def test_failed_fetch_leaves_no_jars(registry: Path, tmp_path: Path) -> None:
    shutil.rmtree(registry)
    with pytest.raises(JarsUnavailableError):
        connector_jars()
    assert list((tmp_path / "jars").rglob("*.jar")) == []


def test_unreachable_registry_is_told_with_a_way_out(
    registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        use_registry(tmp_path, f"http://127.0.0.1:{closed.getsockname()[1]}/", monkeypatch)
        with pytest.raises(JarsUnavailableError, match="spark-sql-kafka") as raised:
            connector_jars()
    assert "Connection refused" in raised.value.where
    assert "JAVA_TOOL_OPTIONS" in raised.value.now


def test_download_ends_with_its_killed_owner(registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(20)
        use_registry(tmp_path, f"http://127.0.0.1:{silent.getsockname()[1]}/", monkeypatch)
        code = "from kafkastream.spark.jars import connector_jars; connector_jars()"
        with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL) as owner:
            download, _ = silent.accept()
            owner.kill()
        with download:
            download.settimeout(20)
            while download.recv(4096):
                pass


def java_home(folder: Path, answer: str) -> str:
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho '{answer}' >&2\n")
    java.chmod(0o755)
    return str(folder)


def test_java_home_comes_before_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", java_home(tmp_path, 'openjdk version "21.0.1" 2023-10-17'))
    assert find_java() == tmp_path / "bin" / "java"


def test_java_of_path_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", java_home(tmp_path, 'openjdk version "17.0.15"') + "/bin")
    assert find_java() == tmp_path / "bin" / "java"


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ('java version "1.8.0_402"', "is Java 8;"),
        ('openjdk version "11.0.2"', "is Java 11;"),
        ("no runtime", "is not a working"),
    ],
)
def test_old_java_is_refused(answer: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", java_home(tmp_path, answer))
    with pytest.raises(JavaNotFoundError, match=found) as raised:
        find_java()
    assert "apt install" in raised.value.now


def test_missing_java_is_told_with_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(JavaNotFoundError, match=f"no java in JAVA_HOME={tmp_path}"):
        find_java()


def test_module_does_not_import_pyspark() -> None:
    code = "import sys, kafkastream.spark.jars; sys.exit('pyspark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
