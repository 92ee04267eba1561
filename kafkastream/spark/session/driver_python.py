"""The Python of executors with a shipped environment, made available to the driver under the same path.

Spark plans Python data sources and ``transformWithState`` in Python processes on the driver's machine, and starts them with the
path of the executors' Python. With Spark's recipe for shipped environments (``--archives env.tar.gz#env`` and
``PYSPARK_PYTHON=./env/bin/python``) that is a relative path, which in client mode leads nowhere on the driver's machine:
archives are unpacked in the executors' working directories only. A script at that path starts the driver's own Python.
https://spark.apache.org/docs/latest/api/python/tutorial/python_packaging.html
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from pyspark import SparkContext

from kafkastream.errors import SetupError
from kafkastream.spark.internals.jvm import java_class
from kafkastream.spark.internals.python import python_of_workers, set_worker_variable

__all__ = ["provide_python"]

_PYTHON_OF_DRIVER: Final = "KAFKASTREAM_DRIVER_PYTHON"
_SCRIPT: Final = f"""\
#!/bin/sh
# Made by kafkastream: where executors unpack an environment, a driver in client mode has its own Python.
exec "${{{_PYTHON_OF_DRIVER}:?}}" "$@"
"""


def provide_python(context: SparkContext) -> None:
    """Create a script at the path of the executors' Python, if that path is relative and missing on the driver.

    The script reads the interpreter's path from the environment, which Spark passes on. So drivers in one directory can
    share it, and it is not deleted.

    Raises:
        SetupError: The script cannot be written.
    """
    python = Path(python_of_workers(context))
    if python.is_absolute() or len(python.parts) == 1:  # a bare name is looked up on the PATH, on both sides
        return
    set_worker_variable(context, _PYTHON_OF_DRIVER, sys.executable)
    script = Path(str(java_class(context, "java.lang.System").getProperty("user.dir")), python)
    if script.exists():
        return
    try:
        script.parent.mkdir(parents=True, exist_ok=True)
        new = script.with_name(f"{script.name}.{os.getpid()}")
        new.write_text(_SCRIPT, encoding="utf-8")
        new.chmod(0o755)
        new.replace(script)
    except OSError as error:
        raise SetupError(
            f"the driver cannot start the executors' Python {str(python)!r}: there is none, and a script that "
            f"starts the driver's own cannot be written: {error.strerror}",
            where=str(script),
            now="Start the job in a directory that can be written to, or unpack the archive there.",
        ) from error
