"""``kafkastream doctor`` names each planted fault of a machine and of the brokers, with the way out; also ten at once."""

from __future__ import annotations

import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator, Mapping
from functools import partial
from importlib.metadata import version
from itertools import pairwise, takewhile
from pathlib import Path

import pytest
from click.testing import CliRunner
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)

from kafkastream.cli import main
from kafkastream.doctor.brokers import Access, broker_findings
from kafkastream.doctor.finding import Finding, Verdict
from kafkastream.spark.session.jars import connector_jars
from kafkastream.testing import EmbeddedKafka, Security
from kafkastream.testing.certificates import Certificates
from tests.integration.conftest import fill

_ACL = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS",
}
_NO_REGISTRY = """<ivysettings><settings defaultResolver="none"/>
<resolvers><ibiblio name="none" m2compatible="true" root="http://127.0.0.1:9/"/></resolvers></ivysettings>"""


def doctor(*arguments: str, most_files: int | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, without Spark."""
    limit = (
        None if most_files is None else partial(resource.setrlimit, resource.RLIMIT_NOFILE, (most_files, most_files))
    )
    return subprocess.run(
        [sys.executable, "-m", "kafkastream", "doctor", "--no-spark", *arguments],
        env={**os.environ, **environment},
        preexec_fn=limit,
        capture_output=True,
        text=True,
        check=False,
    )


def told(run: subprocess.CompletedProcess[str], fault: str) -> str:
    """Return the way out, indented below the only wrong line, which has a text."""
    lines = run.stdout.splitlines()
    wrong = [number for number, line in enumerate(lines) if line.startswith("WRONG")]
    assert run.returncode == 1, run.stderr
    assert [fault in lines[number] for number in wrong] == [True], run.stdout
    return " ".join(map(str.strip, takewhile(lambda line: line.startswith(" "), lines[wrong[0] + 1 :])))


def test_healthy_machine_has_nothing_wrong(tmp_path: Path) -> None:
    run = doctor("--checkpoint-dir", str(tmp_path / "new"))
    assert run.returncode == 0, run.stdout
    assert "WRONG" not in run.stdout
    assert run.stdout.endswith("Jobs can run here.\n")


def test_missing_java_is_named(tmp_path: Path) -> None:
    assert told(doctor(JAVA_HOME=str(tmp_path)), f"Java: no java in JAVA_HOME={tmp_path}").startswith("Install one")


def test_old_java_is_named(tmp_path: Path) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n")
    java.chmod(0o755)
    assert "JAVA_HOME point to one" in told(doctor(JAVA_HOME=str(tmp_path)), "is Java 11")


def test_python_of_workers_without_the_package_is_named(tmp_path: Path) -> None:
    venv.create(tmp_path / "other", with_pip=False)
    python = str(tmp_path / "other" / "bin" / "python")
    run = doctor(PYSPARK_PYTHON=python, PYTHONPATH="")  # by which another Python would find the package, too
    assert "Unset PYSPARK_PYTHON" in told(run, f"Python of workers: {python}: ")
    assert "kafkastream" in run.stdout


def test_python_of_workers_that_does_not_exist_is_named() -> None:
    assert "Unset PYSPARK_PYTHON" in told(doctor(PYSPARK_PYTHON="/nowhere/python"), "/nowhere/python does not start")


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (["2.7.18", "{package}", "{pyspark}"], "is Python 2.7.18, the program's is"),
        (["{python}", "0.0.1", "{pyspark}"], "has kafkastream 0.0.1 and pyspark"),
        (["{python}", "{package}", "4.2.0"], "and pyspark 4.2.0"),
    ],
)
def test_python_of_workers_with_other_versions_is_named(answer: list[str], fault: str, tmp_path: Path) -> None:
    """A program that answers as a Python of other versions would."""
    same = {"python": platform.python_version(), "package": version("kafkastream"), "pyspark": version("pyspark")}
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho '{json.dumps([one.format(**same) for one in answer])}'\n")
    python.chmod(0o755)
    assert f"such as {sys.executable}" in told(doctor(PYSPARK_PYTHON=str(python)), fault)


def without_registry(folder: Path) -> dict[str, str]:
    """The environment of a machine that has no jars, and reaches no registry."""
    settings = folder / "ivysettings.xml"
    settings.write_text(_NO_REGISTRY)
    return {"KAFKASTREAM_JARS_DIR": str(folder / "jars"), "KAFKASTREAM_IVY_SETTINGS": str(settings)}


def test_unreachable_registry_is_named(tmp_path: Path) -> None:
    run = doctor(most_files=None, **without_registry(tmp_path))
    assert "name a mirror in KAFKASTREAM_IVY_SETTINGS" in told(run, "Kafka connector: ")


def test_jar_of_the_connector_that_is_missing_is_named(tmp_path: Path) -> None:
    *folders, folder, name = connector_jars()[-1].parts[-3:]
    kept = tmp_path.joinpath("jars", *folders, folder)
    shutil.copytree(connector_jars()[-1].parent, kept)
    (kept / name).unlink()
    run = doctor(most_files=None, **without_registry(tmp_path))
    assert "copy the folder of KAFKASTREAM_JARS_DIR" in told(run, "Kafka connector: ")


def test_low_limit_of_open_files_is_named() -> None:
    assert "ulimit -n 65536" in told(doctor(most_files=256), "256 files and sockets")


def test_checkpoint_directory_without_rights_is_named() -> None:
    run = doctor("--checkpoint-dir", "/proc/checkpoints")
    assert "right to write there" in told(run, "checkpoint directory: /proc cannot be written to")


def test_full_disk_of_checkpoints_is_named(small_disk: Path) -> None:
    run = doctor("--checkpoint-dir", str(small_disk / "jobs"))
    assert "Make room" in told(run, f"checkpoint directory: {small_disk / 'jobs'}: 0.0 GiB free")
    fill(small_disk)
    run = doctor("--checkpoint-dir", str(small_disk / "jobs"))
    assert "name another directory" in told(run, f"{small_disk} cannot be written to: No space left on device")


def test_temporary_directory_that_is_missing_is_named(tmp_path: Path) -> None:
    run = doctor(SPARK_LOCAL_DIRS=str(tmp_path / "missing"))
    assert "name another directory" in told(run, "missing cannot be written to")


def test_workers_are_asked_in_a_spark_job() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "kafkastream", "doctor"], capture_output=True, text=True, check=False, timeout=150
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "Spark starts: local[" in run.stdout
    assert "worker on " in run.stdout


@pytest.fixture(scope="module")
def guarded() -> Iterator[EmbeddedKafka]:
    """Return a broker where ann may use what she needs, and bob may see topics only."""
    users = {"ann": "secret of ann", "bob": "secret of bob"}
    with EmbeddedKafka(properties=_ACL, security=Security(protocols=["SASL_SSL"], users=users)) as kafka:
        for topic in ("orders", "totals"):
            kafka.create_topic(topic)
        admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
        of_topic, of_group, of_transactions = ResourceType.TOPIC, ResourceType.GROUP, ResourceType.TRANSACTIONAL_ID
        acls = [
            *(_allowed("ann", of_topic, "orders", one) for one in ("READ", "DESCRIBE")),
            *(_allowed("ann", of_topic, "totals", one) for one in ("WRITE", "DESCRIBE")),
            *(_allowed("ann", of_group, name, "READ") for name in ("totals-job", "exactly")),
            *(_allowed("ann", of_transactions, "exactly", one) for one in ("WRITE", "DESCRIBE")),
            *(_allowed("bob", of_topic, name, "DESCRIBE") for name in ("orders", "totals")),
        ]
        for made in admin.create_acls(acls).values():
            made.result()
        yield kafka


def _allowed(user: str, kind: ResourceType, name: str, operation: str) -> AclBinding:
    prefixed, allow = ResourcePatternType.PREFIXED, AclPermissionType.ALLOW
    return AclBinding(kind, name, prefixed, f"User:{user}", "*", AclOperation[operation], allow)


def client(kafka: EmbeddedKafka, user: str = "ann", **others: str) -> dict[str, str]:
    """Return a user's properties, with others in their place."""
    properties = kafka.listener("SASL_SSL", "PLAIN", user=user).client_properties
    return {**properties, "default.api.timeout.ms": "30000", **{key.replace("_", "."): v for key, v in others.items()}}


def wrong(properties: Mapping[str, str], **access: object) -> dict[str, Finding]:
    """Return what is wrong, by its subject; no secret is shown."""
    findings = list(broker_findings(Access(properties=properties, **access)))  # type: ignore[arg-type]  # as given
    assert "secret of" not in str(findings)
    return {one.subject: one for one in findings if one.verdict is Verdict.WRONG}


def test_user_with_all_rights_has_nothing_wrong(guarded: EmbeddedKafka) -> None:
    access = {"sources": ("orders",), "sinks": ("totals",), "group": "totals-job", "transactional_id_prefix": "exactly"}
    assert wrong(client(guarded), **access) == {}


def test_missing_rights_are_named_one_by_one(guarded: EmbeddedKafka) -> None:
    access = {"sources": ("orders",), "sinks": ("totals",), "group": "totals-job", "transactional_id_prefix": "exactly"}
    found = wrong(client(guarded, "bob"), **access)
    assert {subject: one.now.split(" to ")[0] for subject, one in found.items()} == {
        "source orders": "Grant Read on the topic",
        "sink totals": "Grant Write on the topic",
        "group totals-job": "Grant Read on the group",
        "transactions exactly": "Grant Write and Describe on transactional ids with the prefix exactly",
    }


def test_missing_topic_is_named(guarded: EmbeddedKafka) -> None:
    assert "Create the topic" in wrong(client(guarded), sources=("ordres",))["source ordres"].now


def test_wrong_password_is_named(guarded: EmbeddedKafka) -> None:
    login = client(guarded)["sasl.jaas.config"].replace("secret of ann", "guess")
    assert "sasl.jaas.config" in wrong(client(guarded, sasl_jaas_config=login))["brokers"].now


def test_certificate_that_is_not_trusted_is_named(guarded: EmbeddedKafka) -> None:
    untrusting = {key: value for key, value in client(guarded).items() if not key.startswith("ssl.")}
    assert "ssl.truststore" in wrong(untrusting)["brokers"].now


def test_certificate_of_another_authority_is_named(guarded: EmbeddedKafka, tmp_path: Path, java: Path) -> None:
    others = Certificates(tmp_path / "others")
    others.make(java)
    trusting = {key: value for key, value in client(guarded).items() if not key.startswith("ssl.")}
    assert "ssl.truststore" in wrong(trusting | others.truststore("PEM"))["brokers"].now


def test_wrong_protocol_is_named(guarded: EmbeddedKafka) -> None:
    servers = client(guarded)["bootstrap.servers"]
    found = wrong({"bootstrap.servers": servers, "default.api.timeout.ms": "3000"})
    assert "security.protocol" in found["brokers"].now


def test_brokers_that_do_not_answer_are_named() -> None:
    found = wrong({"bootstrap.servers": "127.0.0.1:1", "default.api.timeout.ms": "2000"})
    assert "127.0.0.1:1" in found["brokers"].text
    assert "Check that the address is right" in found["brokers"].now


def file_of(properties: Mapping[str, str], file: Path) -> str:
    """Write properties as Kafka's own tools read them."""
    lines = [f"{key}={value!s}\n".replace("\n", "\\\n", value.count("\n")) for key, value in properties.items()]
    file.write_text("".join(lines))
    return str(file)


def test_ten_faults_at_once_are_named_each(guarded: EmbeddedKafka, tmp_path: Path) -> None:
    run = doctor(
        *("--properties", file_of(client(guarded, "bob"), tmp_path / "bob.properties")),
        *("--source", "orders", "--sink", "totals", "--group", "totals-job", "--transactional-id-prefix", "exactly"),
        *("--checkpoint-dir", "/proc/checkpoints"),
        most_files=256,
        JAVA_HOME=str(tmp_path),
        PYSPARK_PYTHON="/nowhere/python",
        SPARK_LOCAL_DIRS=str(tmp_path / "missing"),
        **without_registry(tmp_path),
    )
    assert [line.split(": ")[0] for line in run.stdout.splitlines() if line.startswith("WRONG")] == [
        "WRONG  Python of workers",
        "WRONG  Java",
        "WRONG  Kafka connector",
        "WRONG  open files",
        "WRONG  temporary files",
        "WRONG  checkpoint directory",
        "WRONG  source orders",
        "WRONG  sink totals",
        "WRONG  group totals-job",
        "WRONG  transactions exactly",
    ]
    ways_out = [below for line, below in pairwise(run.stdout.splitlines()) if line.startswith("WRONG")]
    assert all(below.startswith(" ") and below.strip() for below in ways_out)
    assert "\n10 of " in run.stdout
    assert run.returncode == 1


def test_command_reads_properties_from_a_file(guarded: EmbeddedKafka, tmp_path: Path) -> None:
    file = file_of(client(guarded), tmp_path / "client.properties")
    asked = ["doctor", "--no-spark", "--properties", file, "--source", "orders", "--sink", "orders"]
    result = CliRunner().invoke(main, asked)
    assert result.exit_code == 1
    assert "source orders: 1 partition, may be read" in result.output
    assert "WRONG  sink orders: the client may not write it" in result.output
    assert "secret of" not in result.output
