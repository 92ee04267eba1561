"""Apache Ivy, which comes with Spark: fetches the dependencies in ``ivy.xml`` from a Maven registry."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import final

import attrs
from rich.console import Console
from rich.status import Status

from kafkastream.errors import JarsUnavailableError
from kafkastream.spark.session.java_home import find_java

__all__ = ["IVY_MODULE", "Ivy"]

IVY_MODULE = Path(__file__).with_name("ivy.xml")
_TETHER = Path(__file__).with_name("child_guard.py")
_DOWNLOADING = re.compile(r"^downloading \S*/(\S+) \.\.\.", re.MULTILINE)
_MISSING = re.compile(r"^\s*:: (\S+?#\S+?;\S+?)(?:!\S+?)?(?::.*)?$", re.MULTILINE)
_REASON = re.compile(r"Server access error.*|(?<=\[FAILED     \] ).*\S")
_ABSENT = re.compile(r": not found$|\[NOT FOUND", re.MULTILINE)
_UNREACHABLE = "Server access error"
_SHORT_LIVED = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""Options of a JVM that ends before a better compiler and more threads could pay."""


@final
@attrs.frozen
class Ivy:
    """A configuration in ``ivy.xml``, and the Ivy that resolves it.

    Args:
        configuration: Name of the configuration.
        jar: Jar of Ivy itself.
        home: Ivy's cache directory.
    """

    configuration: str
    jar: Path
    home: Path

    def fetch(self, target: Path, attempts: Iterable[Mapping[str, str]]) -> None:
        """Fetch the jars into the folder ``target``.

        Args:
            target: A folder that does not exist yet.
            attempts: Values of the properties in ``ivy.xml``; the next are tried if the registry lacks the versions of
                the earlier ones, not if it is unreachable or serves a damaged jar.

        Raises:
            JavaNotFoundError: There is no Java 17 or newer.
            JarsUnavailableError: A jar could not be downloaded, or its checksum is wrong.
        """
        output = ""
        with self._progress() as status:
            for properties in attempts:
                ended, said = self._run(target, properties, status)
                output += said
                if ended == 0:
                    return
                if _UNREACHABLE in said or not _ABSENT.search(said):
                    break
        raise self._unavailable(output)

    @property
    def _title(self) -> str:
        return f"Fetching the {self.configuration} jars (once per machine)"

    @contextmanager
    def _progress(self) -> Iterator[Status]:
        console = Console(stderr=True, highlight=False)
        console.print(self._title)
        with console.status(self._title) as status:
            yield status

    def _run(self, target: Path, properties: Mapping[str, str], status: Status) -> tuple[int, str]:
        output = ""
        with _tethered(self._command(target, properties)) as ivy:
            for line in ivy.stdout or ():
                output += line
                if jars := _DOWNLOADING.findall(output):
                    status.update(f"{self._title}: {len(jars)}, {jars[-1]}")
        return ivy.returncode, output

    def _command(self, target: Path, properties: Mapping[str, str]) -> list[str]:
        settings = os.environ.get("KAFKASTREAM_IVY_SETTINGS")
        return [
            str(find_java()),
            *_SHORT_LIVED,
            *(f"-D{name}={value}" for name, value in properties.items()),
            f"-Divy.default.ivy.user.dir={self.home}",
            *("-cp", str(self.jar), "org.apache.ivy.Main"),
            *(("-settings", settings) if settings else ("-m2compatible",)),
            *("-ivy", str(IVY_MODULE), "-confs", self.configuration),
            *("-retrieve", f"{target}/[artifact]-[revision].[ext]"),
            # Maven's packaging decides the type: snappy's and scala-logging's jars are bundles.
            *("-types", "jar", "bundle"),
        ]

    def _unavailable(self, output: str) -> JarsUnavailableError:
        modules = ", ".join(dict.fromkeys(_MISSING.findall(output)))
        reasons = list(dict.fromkeys(_REASON.findall(output)))
        return JarsUnavailableError(
            f"these {self.configuration} jars could not be downloaded: {modules or 'none was tried'}",
            where="; ".join(reasons[-3:] or ["the registry does not have them" if modules else output.strip()[-500:]]),
            now="Behind a proxy, set JAVA_TOOL_OPTIONS=-Dhttps.proxyHost=…; with a mirror, set KAFKASTREAM_IVY_SETTINGS "
            "to your ivysettings.xml; without network, copy the jars folder of another machine and set "
            "KAFKASTREAM_JARS_DIR.",
        )


def _tethered(command: list[str]) -> subprocess.Popen[str]:
    """Run Ivy by ``child_guard``: if it outlived a killed parent, it would disturb the next Ivy in the same cache."""
    return subprocess.Popen(  # noqa: S603
        [sys.executable, "-I", "-S", str(_TETHER), *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    )
