"""The jars are fetched once, whole, from the registry that the user names; here a registry in a folder."""

from __future__ import annotations

import hashlib
import shutil
import socket
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kafkastream.errors import JarsUnavailableError
from kafkastream.spark.session import jars
from kafkastream.spark.session.jars import broker_jars, connector_jars, connector_version, delta_jars

POM = """<project><modelVersion>4.0.0</modelVersion>
<groupId>{org}</groupId><artifactId>{name}</artifactId><version>{rev}</version></project>"""
SETTINGS = """<ivysettings><settings defaultResolver="mirror"/><resolvers>
<ibiblio name="mirror" m2compatible="true" root="{root}"/></resolvers></ivysettings>"""
SPARK = version("pyspark")
MODULE = "spark-sql-kafka-0-10_2.13"
CONNECTOR = f"{MODULE}-{SPARK}.jar"


@pytest.fixture
def registry(java: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A registry with every module that ivy.xml names, and an empty cache."""
    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.setenv("KAFKASTREAM_JARS_DIR", str(tmp_path / "jars"))
    root = tmp_path / "registry"
    for dependency in ElementTree.parse(Path(jars.__file__).with_name("ivy.xml")).iter("dependency"):
        publish(root, dependency.attrib["org"], dependency.attrib["name"], dependency.attrib["rev"])
    use_registry(tmp_path, root.as_uri() + "/", monkeypatch)
    return root


def publish(root: Path, org: str, name: str, rev: str) -> None:
    rev = rev.replace("${connector.revision}", SPARK)
    folder = root / org.replace(".", "/") / name / rev
    folder.mkdir(parents=True)
    (folder / f"{name}-{rev}.pom").write_text(POM.format(org=org, name=name, rev=rev))
    (folder / f"{name}-{rev}.jar").write_bytes(name.encode())
    (folder / f"{name}-{rev}.jar.sha1").write_text(hashlib.sha1(name.encode()).hexdigest())


def publish_connectors(registry: Path, *revisions: str) -> None:
    """Have the registry hold these versions of the connector, and no others."""
    shutil.rmtree(registry / "org" / "apache" / "spark")
    for revision in revisions:
        publish(registry, "org.apache.spark", MODULE, revision)
    listed = "".join(f"<version>{revision}</version>" for revision in revisions)
    folder = registry / "org" / "apache" / "spark" / MODULE
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "maven-metadata.xml").write_text(
        f"<metadata><versioning><versions>{listed}</versions></versioning></metadata>"
    )


def run_with(spark: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have SPARK_HOME be a Spark of this version."""
    home = folder / f"spark-{spark}" / "jars"
    home.mkdir(parents=True)
    (home / f"spark-core_2.13-{spark}.jar").touch()
    installed = Path(str(find_spec("pyspark").origin)).parent  # type: ignore[union-attr]  # it is installed
    (ivy,) = (installed / "jars").glob("ivy-*.jar")
    (home / ivy.name).symlink_to(ivy)
    monkeypatch.setenv("SPARK_HOME", str(home.parent))


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


def test_delta_has_its_two_jars(registry: Path) -> None:
    assert [name.rpartition("-")[0] for name in names(delta_jars())] == ["delta-spark_4.2_2.13", "delta-storage"]


def test_progress_is_told_on_stderr_once(registry: Path, capfd: pytest.CaptureFixture[str]) -> None:
    connector_jars()
    first = capfd.readouterr()
    connector_jars()
    second = capfd.readouterr()
    assert first.out == second.out == second.err == ""
    assert "Fetching the connector jars" in first.err


def told(capfd: pytest.CaptureFixture[str]) -> list[str]:
    """The lines on standard error, without those of librdkafka about a broker of an earlier test."""
    return [line for line in capfd.readouterr().err.splitlines() if not line.startswith("%")]


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


@pytest.mark.parametrize(
    ("spark", "held", "found"),
    [
        ("4.2.1", ["4.1.3", "4.2.0", "4.3.0"], "4.2.0"),
        ("4.3.0", ["4.1.3", "4.2.0", "4.2.1"], "4.2.1"),
        ("4.2.0-vendor-3", ["4.1.3", "4.2.0"], "4.2.0"),
    ],
)
def test_nearest_connector_is_taken_and_told_once(
    spark: str,
    held: list[str],
    found: str,
    registry: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    publish_connectors(registry, *held)
    run_with(spark, tmp_path, monkeypatch)
    assert names(connector_jars()) == [f"{MODULE}-{found}.jar"]
    assert told(capfd)[1:] == [f"Spark {spark} gets the Kafka connector {found}, the nearest available version."]
    assert connector_version() == found
    assert told(capfd) == []


def test_connector_that_is_listed_but_gone_is_passed_over(
    registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish_connectors(registry, "4.2.0", "4.2.1")
    shutil.rmtree(registry / "org" / "apache" / "spark" / MODULE / "4.2.1")
    run_with("4.2.1", tmp_path, monkeypatch)
    assert connector_version() == "4.2.0"


def test_all_versions_that_were_tried_are_named(
    registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish_connectors(registry, "4.0.0", "4.1.3")
    run_with("4.3.0", tmp_path, monkeypatch)
    with pytest.raises(JarsUnavailableError) as raised:
        connector_jars()
    tried = ", ".join(f"org.apache.spark#{MODULE};{revision}" for revision in ("4.3.0", "4.3.+", "4.2.+"))
    assert raised.value.what == f"these connector jars could not be downloaded: {tried}"
    assert raised.value.where == "the registry does not have them"


def test_jars_of_another_spark_serve_without_a_registry(
    registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    publish_connectors(registry, "4.1.3", "4.2.0")
    for spark in ("4.1.3", "4.2.1"):
        run_with(spark, tmp_path, monkeypatch)
        connector_jars()
    capfd.readouterr()
    shutil.rmtree(registry)
    run_with("4.3.0", tmp_path, monkeypatch)
    kept = connector_jars()
    assert names(kept) == [f"{MODULE}-4.2.0.jar"]
    assert "Spark 4.3.0 gets the Kafka connector 4.2.0" in capfd.readouterr().err
    assert connector_jars() == kept
    assert capfd.readouterr().err == ""


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
    code = "from kafkastream.spark.session.jars import connector_jars; print(*connector_jars())"
    both = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    printed = [process.communicate(timeout=60)[0].strip() for process in both]
    assert printed == [str(connector_jars()[0])] * 2


def test_wrong_checksum_is_refused(registry: Path) -> None:
    next(registry.rglob(CONNECTOR)).write_bytes(b"not what was published")
    with pytest.raises(JarsUnavailableError, match="spark-sql-kafka") as raised:
        connector_jars()
    assert "invalid sha1" in raised.value.where


def test_wrong_checksum_is_no_reason_for_another_version(
    registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish_connectors(registry, "4.2.0", "4.2.1")
    next(registry.rglob(f"{MODULE}-4.2.1.jar")).write_bytes(b"not what was published")
    run_with("4.2.1", tmp_path, monkeypatch)
    with pytest.raises(JarsUnavailableError, match=r"4\.2\.1"):
        connector_jars()


def test_missing_module_is_named(registry: Path) -> None:
    shutil.rmtree(registry / "org" / "slf4j")
    with pytest.raises(JarsUnavailableError, match=r"could not be downloaded: org\.slf4j#slf4j-simple;1\.7") as raised:
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
        code = "from kafkastream.spark.session.jars import connector_jars; connector_jars()"
        with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL) as owner:
            download, _ = silent.accept()
            owner.kill()
        with download:
            download.settimeout(20)
            while download.recv(4096):
                pass


def test_module_does_not_import_pyspark() -> None:
    code = "import sys, kafkastream.spark.session.jars; sys.exit('pyspark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
