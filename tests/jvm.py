"""Start the JVMs of Spark in tests for a short life, with an archive of Spark's classes: it saves a third of a short job's CPU.

``python -m tests.jvm`` writes the archive, once per virtual environment. The JVM ignores an archive that was written by
another Java or for other jars: https://docs.oracle.com/en/java/javase/17/vm/class-data-sharing.html.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Final

__all__ = ["options", "short_lived"]

ARCHIVE: Final = Path(sys.prefix, "spark.jsa")
_SHORT: Final = (
    *("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:NewSize=160m", "-XX:MetaspaceSize=256m"),
    *("-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote"),
)
"""One quick compiler, room enough to collect seldom, and no verification of bytecode that compilers have written."""
_QUIET: Final = ("-Xlog:disable", "-Xlog:all=error:stderr")
"""Else a JVM tells of each class that the archive cannot have, and of an archive that it ignores."""


def options() -> list[str]:
    """Return the options of a JVM that does not work hard to be fast later."""
    return [*_SHORT, *((f"-XX:SharedArchiveFile={ARCHIVE}", *_QUIET) if ARCHIVE.exists() else ())]


def short_lived() -> dict[str, str]:
    """Return the environment in which Spark's JVM has these options."""
    return {"SPARK_SUBMIT_OPTS": " ".join([*options(), os.environ.get("SPARK_SUBMIT_OPTS", "")])}


def write_archive() -> None:
    """Run jobs of several kinds, at whose end the JVM writes which classes it has loaded."""
    fresh = ARCHIVE.with_name(f"fresh-{ARCHIVE.name}")
    os.environ["SPARK_SUBMIT_OPTS"] = " ".join([*_SHORT, f"-XX:ArchiveClassesAtExit={fresh}", *_QUIET])
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from kafkastream.spark.session.session import spark_session
    from kafkastream.testing import EmbeddedKafka
    from tests.smoke.jobs import count_exactly_once, keyed_rounds

    with EmbeddedKafka() as kafka, tempfile.TemporaryDirectory() as folder:
        for topic in ("numbers", "counts"):
            kafka.create_topic(topic, 2)
        assert list(keyed_rounds(kafka.bootstrap_servers, "numbers", 2))
        count_exactly_once(kafka.bootstrap_servers, Path(folder), "numbers", "counts")
    gateway = spark_session().sparkContext._gateway
    assert gateway is not None
    jvm = gateway.proc
    spark_session().stop()
    gateway.shutdown()
    jvm.stdin.close()
    jvm.wait()
    fresh.replace(ARCHIVE)


if __name__ == "__main__":
    write_archive()
