"""Spark's master as the user has configured it, read before the JVM starts."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

__all__ = ["LOOPBACK", "given_master", "is_cluster", "listening_address"]

LOOPBACK: Final = "127.0.0.1"

_KEY: Final = "spark.master"
_DEFAULTS: Final = "spark-defaults.conf"
_PROPERTY: Final = re.compile(rf"^\s*{re.escape(_KEY)}(?:\s*[=:]\s*|\s+)(\S+)", re.MULTILINE)


def given_master(environment: Mapping[str, str], spark_home: Path) -> str | None:
    """Return the master that ``spark-submit`` would use; None if none is configured.

    Arguments in ``PYSPARK_SUBMIT_ARGS``, then ``spark-defaults.conf``, then ``MASTER``.

    Args:
        environment: Environment variables of the program.
        spark_home: Folder of Spark's installation.

    Example:
        >>> given_master({"PYSPARK_SUBMIT_ARGS": "--master spark://main:7077 pyspark-shell"}, Path("/opt/spark"))
        'spark://main:7077'
    """
    arguments = shlex.split(environment.get("PYSPARK_SUBMIT_ARGS", ""))
    settings = [setting for option in ("--conf", "-c") for setting in _values(arguments, option)]
    files = [Path(name) for name in _values(arguments, "--properties-file")] or [
        Path(environment.get("SPARK_CONF_DIR") or spark_home / "conf", _DEFAULTS)
    ]
    found = [
        *_values(arguments, "--master"),
        *(setting.partition("=")[2] for setting in settings if setting.startswith(f"{_KEY}=")),
        *(master for file in files if file.is_file() for master in _PROPERTY.findall(file.read_text(encoding="utf-8"))),
        environment.get("MASTER"),
    ]
    return next(filter(None, found), None)


def _values(arguments: Sequence[str], option: str) -> list[str]:
    """Return the values of an option, the last one first, since that one counts."""
    apart = [value for name, value in pairwise(arguments) if name == option]
    joined = [one.partition("=")[2] for one in arguments if one.startswith(f"{option}=")]
    return [*apart, *joined][::-1]


def is_cluster(master: str) -> bool:
    """Return whether executors are processes that may run on other machines.

    Example:
        >>> is_cluster("local[*,4]"), is_cluster("spark://main:7077"), is_cluster("yarn")
        (False, True, True)
    """
    return not master.startswith("local")


def listening_address(master: str) -> str:
    """Return the address at which servers of a job listen unless the user sets one.

    Example:
        >>> listening_address("local[*,4]"), listening_address("yarn")
        ('127.0.0.1', '0.0.0.0')
    """
    return "0.0.0.0" if is_cluster(master) else LOOPBACK  # noqa: S104 - where Prometheus scrapes from another machine
