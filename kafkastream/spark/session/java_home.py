"""The Java that Spark and Kafka run on."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from kafkastream.errors import JavaNotFoundError

__all__ = ["find_java"]

OLDEST_JAVA = 17


def find_java() -> Path:
    """Return the ``java`` that Spark would start: ``JAVA_HOME``'s if that is set, else the one on ``PATH``.

    Raises:
        JavaNotFoundError: There is none, or it is older than Java 17.
    """
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=str(Path(home, "bin")) if home else None)
    place = f"JAVA_HOME={home}" if home else "PATH"
    if found is None:
        raise _no_java(f"no java in {place}")
    version = _java_version(found)
    if version < OLDEST_JAVA:
        raise _no_java(f"the java in {place} is {f'Java {version}' if version else 'not a working Java'}")
    return Path(found)


def _java_version(java: str) -> int:
    run = subprocess.run([java, "-version"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)  # noqa: S603
    version = re.search(r'version "(?:1\.)?(\d+)', run.stderr)
    return int(version.group(1)) if version and run.returncode == 0 else 0


def _no_java(what: str) -> JavaNotFoundError:
    return JavaNotFoundError(
        f"{what}; Spark and Kafka need Java {OLDEST_JAVA} or newer",
        now="Install one (Debian, Ubuntu: apt install openjdk-17-jre-headless; macOS: brew install openjdk@17; "
        "Windows: winget install EclipseAdoptium.Temurin.17.JRE), or let JAVA_HOME point to one.",
    )
