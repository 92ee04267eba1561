"""The jars that Spark and the embedded broker need: fetched once, by the Ivy that comes with pyspark.

Three environment variables steer it:

* ``KAFKASTREAM_JARS_DIR``: where the jars are kept, instead of the user's cache. On a machine without network, copy
  this folder from a machine where ``kafkastream jars`` and ``kafkastream jars --broker`` have run.
* ``KAFKASTREAM_IVY_SETTINGS``: your own ``ivysettings.xml``, for a mirror or a registry with a password.
* ``JAVA_TOOL_OPTIONS``: read by Java itself, for a proxy: ``-Dhttps.proxyHost=… -Dhttps.proxyPort=…``.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path

import platformdirs
from rich.console import Console

from kafkastream.errors import JarsUnavailableError, JavaNotFoundError

__all__ = ["broker_jars", "connector_jars", "find_java"]

OLDEST_JAVA = 17
LOCK_TIMEOUT_S = 900.0

_IVY_MODULE = Path(__file__).with_name("ivy.xml")
_TETHER = Path(__file__).with_name("tether.py")
_MARKER = "complete"
_DOWNLOADING = re.compile(r"^downloading \S*/(\S+) \.\.\.")
_MISSING = re.compile(r"^\s*:: (\S+?#\S+?;\S+?)(?:!\S+?)?(?::.*)?$", re.MULTILINE)
_REASON = re.compile(r"Server access error.*|(?<=\[FAILED     \] ).*\S")


def connector_jars() -> tuple[Path, ...]:
    """The jars that teach Spark to read and write Kafka; the first call on a machine downloads them.

    They fit the Spark that will run: the one of ``SPARK_HOME``, or else the installed pyspark.

    Raises:
        JavaNotFoundError: They must be downloaded, which needs Java 17 or newer.
        JarsUnavailableError: A jar could not be had, or its checksum is wrong.
    """
    return _jars("connector")


def broker_jars() -> tuple[Path, ...]:
    """The jars of Apache Kafka itself, for tests and demos; the first call on a machine downloads them.

    Raises:
        JavaNotFoundError: They must be downloaded, which needs Java 17 or newer.
        JarsUnavailableError: A jar could not be had, or its checksum is wrong.
    """
    return _jars("broker")


def find_java() -> Path:
    """The ``java`` that Spark would take: ``JAVA_HOME``'s if that is set, else the one on ``PATH``.

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


def _jars(configuration: str) -> tuple[Path, ...]:
    spark = _spark_jars_folder()
    cache = Path(os.environ.get("KAFKASTREAM_JARS_DIR") or platformdirs.user_cache_path("kafkastream") / "jars")
    folder = cache / _state_of_ivy_module(spark) / configuration
    return _complete(folder) or _fetched(folder, cache, spark)


def _spark_jars_folder() -> Path:
    pyspark = find_spec("pyspark")
    homes = [os.environ.get("SPARK_HOME"), *(pyspark.submodule_search_locations or () if pyspark else ())]
    for home in filter(None, homes):
        if any(Path(home, "jars").glob("ivy-*.jar")):
            return Path(home, "jars")
    raise JarsUnavailableError("no Spark on this machine", now="Install pyspark, or set SPARK_HOME.")


def _state_of_ivy_module(spark: Path) -> str:
    return f"{_spark_version(spark)}-{hashlib.sha256(_IVY_MODULE.read_bytes()).hexdigest()[:8]}"


def _spark_version(spark: Path) -> str:
    core = next(spark.glob("spark-core_*.jar"))
    return core.stem.partition("-")[2].partition("-")[2]


def _complete(folder: Path) -> tuple[Path, ...]:
    """The folder's jars; none unless all that its marker names are there."""
    try:
        names = (folder / _MARKER).read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        return ()
    jars = tuple(folder / name for name in names)
    return jars if all(jar.is_file() for jar in jars) else ()


def _fetched(folder: Path, cache: Path, spark: Path) -> tuple[Path, ...]:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _alone(cache / "lock"):
        if not _complete(folder):
            _fetch(folder, cache, spark)
    return _complete(folder)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One process at a time; SQLite's lock works on every system and ends with its process."""
    with closing(sqlite3.connect(path, timeout=LOCK_TIMEOUT_S, isolation_level=None)) as lock:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            raise JarsUnavailableError(
                f"the jars folder cannot be locked: {error}", where=str(path), now="Does another process fetch jars?"
            ) from error
        yield


def _fetch(folder: Path, cache: Path, spark: Path) -> None:
    for left_by_killed in folder.parent.glob(f"{folder.name}-*"):
        shutil.rmtree(left_by_killed)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f"{folder.name}-") as temporary:
        fresh = Path(temporary, "jars")
        _run_ivy(_ivy_command(folder.name, fresh, cache, spark), folder.name)
        names = sorted(jar.name for jar in fresh.iterdir())
        (fresh / _MARKER).write_text("\n".join(names), encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        fresh.replace(folder)


def _ivy_command(configuration: str, target: Path, cache: Path, spark: Path) -> list[str]:
    settings = os.environ.get("KAFKASTREAM_IVY_SETTINGS")
    return [
        str(find_java()),
        f"-Dspark.version={_spark_version(spark)}",
        f"-Divy.default.ivy.user.dir={cache / 'ivy'}",
        *("-cp", str(next(spark.glob("ivy-*.jar"))), "org.apache.ivy.Main"),
        *(("-settings", settings) if settings else ("-m2compatible",)),
        *("-ivy", str(_IVY_MODULE), "-confs", configuration),
        *("-retrieve", f"{target}/[artifact]-[revision].[ext]"),
        # Maven's packaging decides the type: snappy's and scala-logging's jars are bundles.
        *("-types", "jar", "bundle"),
    ]


def _run_ivy(command: list[str], configuration: str) -> None:
    console = Console(stderr=True, highlight=False)
    title = f"Fetching the {configuration} jars (once per machine)"
    output: list[str] = []
    console.print(title)
    with console.status(title) as status, _ivy(command) as ivy:
        for line in ivy.stdout or ():
            output.append(line)
            if jar := _DOWNLOADING.match(line):
                count = sum(1 for earlier in output if _DOWNLOADING.match(earlier))
                status.update(f"{title}: {count}, {jar.group(1)}")
    if ivy.returncode:
        raise _unavailable("".join(output), configuration)


def _ivy(command: list[str]) -> subprocess.Popen[str]:
    """Ivy, tethered: outliving a killed owner, it would disturb the next one in the same cache."""
    return subprocess.Popen(  # noqa: S603
        [sys.executable, "-I", "-S", str(_TETHER), *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    )


def _unavailable(output: str, configuration: str) -> JarsUnavailableError:
    modules = ", ".join(dict.fromkeys(_MISSING.findall(output)))
    reasons = list(dict.fromkeys(_REASON.findall(output))) or [line for line in output.splitlines() if line.strip()]
    return JarsUnavailableError(
        f"these {configuration} jars could not be had: {modules or 'none was tried'}",
        where="; ".join(reasons[-3:]),
        now="Behind a proxy, set JAVA_TOOL_OPTIONS=-Dhttps.proxyHost=…; with a mirror, set KAFKASTREAM_IVY_SETTINGS to "
        "your ivysettings.xml; without network, copy the jars folder of another machine and set KAFKASTREAM_JARS_DIR.",
    )
