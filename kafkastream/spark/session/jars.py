"""Jars of the Kafka connector, Delta Lake and the embedded broker: fetched once, by the Ivy that comes with Spark.

Three environment variables configure it:

* ``KAFKASTREAM_JARS_DIR``: folder of the jars; default: the user's cache. On a machine without network, copy
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
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path

import platformdirs

from kafkastream.errors import JarsUnavailableError, SetupError
from kafkastream.spark.session.ivy import IVY_MODULE, Ivy

__all__ = ["broker_jars", "connector_jars", "connector_version", "delta_jars", "jars_folder", "spark_version"]

LOCK_TIMEOUT_S = 900.0

_MARKER = "complete"
_CONNECTOR_JAR = re.compile(r"spark-sql-kafka-0-10_[\d.]+-(.+)\.jar")


def connector_jars() -> tuple[Path, ...]:
    """Return the jars of Spark's Kafka connector; the first call on a machine downloads them.

    Their version is that of the Spark that will run: the one of ``SPARK_HOME``, or else the installed pyspark. If the
    registry lacks it, the newest one of the same minor version is taken, or of the minor version before.

    Raises:
        JavaNotFoundError: They must be downloaded, which needs Java 17 or newer.
        JarsUnavailableError: A jar could not be downloaded, or its checksum is wrong.
    """
    spark = _spark_jars_folder()
    version = _spark_version(spark)
    folder = _folder("connector", version)
    return _jars(folder, lambda fresh: _fetch_connector(fresh, folder, spark))


def connector_version() -> str:
    """Return the version of the connector among ``connector_jars``; errors as of ``connector_jars``."""
    return _version_of_connector(connector_jars()[0].parent)


def broker_jars() -> tuple[Path, ...]:
    """Return the jars of Apache Kafka itself, for tests and demos; the first call on a machine downloads them.

    Raises:
        JavaNotFoundError: They must be downloaded, which needs Java 17 or newer.
        JarsUnavailableError: A jar could not be downloaded, or its checksum is wrong.
    """
    return _resolved("broker")


def delta_jars() -> tuple[Path, ...]:
    """Return the jars of Delta Lake; the first call on a machine downloads them.

    Raises:
        JavaNotFoundError: They must be downloaded, which needs Java 17 or newer.
        JarsUnavailableError: A jar could not be downloaded, or its checksum is wrong.
    """
    return _resolved("delta")


def _resolved(configuration: str) -> tuple[Path, ...]:
    """The jars of a configuration whose revisions the Ivy module itself has."""
    spark = _spark_jars_folder()
    folder = _folder(configuration, _spark_version(spark))
    return _jars(folder, lambda fresh: _ivy(configuration, spark).fetch(fresh, [{}]))


def spark_version() -> str:
    """Return the version of the Spark that will run: the one of ``SPARK_HOME``, or else the installed pyspark.

    Raises:
        JarsUnavailableError: Neither is found.
    """
    return _spark_version(_spark_jars_folder())


def jars_folder() -> Path:
    """Return the folder of all jars for the Spark that will run; errors as of ``spark_version``."""
    return _folder_for(spark_version())


def _spark_jars_folder() -> Path:
    pyspark = find_spec("pyspark")
    homes = [os.environ.get("SPARK_HOME"), *(pyspark.submodule_search_locations or () if pyspark else ())]
    for home in filter(None, homes):
        if any(Path(home, "jars").glob("ivy-*.jar")):
            return Path(home, "jars")
    raise JarsUnavailableError("no Spark on this machine", now="Install pyspark, or set SPARK_HOME.")


def _spark_version(spark: Path) -> str:
    core = next(spark.glob("spark-core_*.jar"))
    return core.stem.partition("-")[2].partition("-")[2]


def _cache() -> Path:
    return Path(os.environ.get("KAFKASTREAM_JARS_DIR") or platformdirs.user_cache_path("kafkastream") / "jars")


def _folder(configuration: str, spark_version: str) -> Path:
    return _folder_for(spark_version) / configuration


def _folder_for(spark_version: str) -> Path:
    return _cache() / f"{spark_version}-{_digest_of_ivy_module()}"


def _digest_of_ivy_module() -> str:
    return hashlib.sha256(IVY_MODULE.read_bytes()).hexdigest()[:8]


def _ivy(configuration: str, spark: Path) -> Ivy:
    return Ivy(configuration, next(spark.glob("ivy-*.jar")), _cache() / "ivy")


def _fetch_connector(fresh: Path, folder: Path, spark: Path) -> None:
    version = _spark_version(spark)
    try:
        _ivy("connector", spark).fetch(fresh, _attempts(version))
    except SetupError:
        if not (kept := _nearest_kept(folder, version)):
            raise
        shutil.copytree(kept, fresh)
    if (nearest := _version_of_connector(fresh)) != version:
        print(f"Spark {version} gets the Kafka connector {nearest}, the nearest available version.", file=sys.stderr)  # noqa: T201


def _attempts(spark_version: str) -> tuple[Mapping[str, str], ...]:
    """Return the versions to ask the registry for: Spark's own first, which needs no list of versions."""
    major, minor = _minor_version(spark_version)
    provider = f"[{major}.0.0,{major}.{minor + 1}.0-dev["  # "dev" sorts before all other suffixes
    nearest = [f"{major}.{near}.+" for near in (minor, minor - 1) if near >= 0]
    return tuple(
        {"connector.revision": connector, "token-provider.revision": provider}
        for connector, provider in [(spark_version, spark_version), *((one, provider) for one in nearest)]
    )


def _minor_version(version: str) -> tuple[int, int]:
    major, minor = version.split(".")[:2]
    return int(major), int(minor)


def _version_of_connector(folder: Path) -> str:
    return next(found[1] for jar in folder.iterdir() if (found := _CONNECTOR_JAR.fullmatch(jar.name)))


def _nearest_kept(folder: Path, spark_version: str) -> Path | None:
    """Return a kept folder with jars of the same minor version of Spark or of the one before; None if there is none."""
    major, minor = _minor_version(spark_version)
    others = folder.parent.parent.glob(f"*-{_digest_of_ivy_module()}/{folder.name}")
    kept = {one: _minor_version(_version_of_connector(one)) for one in others if _complete(one)}
    near = [one for one, version in kept.items() if version in {(major, minor), (major, minor - 1)}]
    return max(near, key=lambda one: (kept[one], one.parent.name), default=None)


def _jars(folder: Path, fill: Callable[[Path], None]) -> tuple[Path, ...]:
    """Return the jars of a folder; if it is missing or incomplete, ``fill`` fills a new one first."""
    if jars := _complete(folder):
        return jars
    with _alone(folder.parent.parent):
        if not _complete(folder):
            _fill(folder, fill)
    return _complete(folder)


def _complete(folder: Path) -> tuple[Path, ...]:
    """Return the folder's jars; none unless all jars in its marker file exist."""
    try:
        names = (folder / _MARKER).read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        return ()
    jars = tuple(folder / name for name in names)
    return jars if all(jar.is_file() for jar in jars) else ()


@contextmanager
def _alone(cache: Path) -> Iterator[None]:
    """Hold a lock between processes: SQLite's, which works on every system and ends with its process."""
    try:
        cache.mkdir(parents=True, exist_ok=True)
        lock = sqlite3.connect(cache / "lock", timeout=LOCK_TIMEOUT_S, isolation_level=None)
    except (OSError, sqlite3.OperationalError) as error:
        raise _no_lock(cache, error) from error
    with closing(lock):
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            raise _no_lock(cache, error) from error
        yield


def _no_lock(cache: Path, error: Exception) -> JarsUnavailableError:
    return JarsUnavailableError(
        f"the jars folder cannot be locked: {error}",
        where=str(cache),
        now="Check that no other process fetches jars, and that this one can write there.",
    )


def _fill(folder: Path, fill: Callable[[Path], None]) -> None:
    folder.parent.mkdir(exist_ok=True)
    for left_by_killed in folder.parent.glob(f"{folder.name}-*"):
        shutil.rmtree(left_by_killed)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f"{folder.name}-") as temporary:
        fresh = Path(temporary, "jars")
        fill(fresh)
        names = sorted(jar.name for jar in fresh.glob("*.jar"))
        (fresh / _MARKER).write_text("\n".join(names), encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        fresh.replace(folder)
