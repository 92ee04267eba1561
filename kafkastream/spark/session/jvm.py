"""Process of Spark's JVM: its start, its output, and its end."""

from __future__ import annotations

import logging
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar, Final, final

from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from typing_extensions import Self

from kafkastream.errors import SetupError, SparkLostError
from kafkastream.spark.internals.jvm import (
    answer_callbacks,
    launch_gateway,
    running_gateway,
    spark_home,
    wrap_accumulator_errors,
)
from kafkastream.spark.session.class_archive import archive_of, class_archive
from kafkastream.spark.session.master import LOOPBACK, is_cluster
from kafkastream.spark.session.worker_output import shown_lines

__all__ = ["ENVIRONMENT", "LOG_VARIABLE", "forward_signals", "hush_end", "launch", "lost_jvm", "own_words"]

LOG_VARIABLE: Final = "KAFKASTREAM_SPARK_LOG"
"""Environment variable with the minimum level of Spark's own log."""

ENVIRONMENT: Final[Mapping[str, str]] = {"MALLOC_ARENA_MAX": "2"}
"""Default environment variables of Spark's JVMs.

glibc gives each thread a heap of its own, up to eight per core, and memory that RocksDB frees stays in it:
https://github.com/prestodb/presto/issues/8993.
"""
_JVM_OPTIONS: Final = "SPARK_SUBMIT_OPTS"
"""Environment variable with options of the JVM that ``spark-submit`` becomes:
https://github.com/apache/spark/blob/v4.2.1/launcher/src/main/java/org/apache/spark/launcher/SparkSubmitCommandBuilder.java.
"""
_ADDRESS: Final = "SPARK_LOCAL_IP"
"""Environment variable of the address of the driver and its web interface, for which no setting of Spark exists:
https://github.com/apache/spark/blob/v4.2.1/core/src/main/scala/org/apache/spark/ui/WebUI.scala, ``initServer``.
"""
_CLASS_PATH: Final = ("SPARK_CONF_DIR", "HADOOP_CONF_DIR", "YARN_CONF_DIR", "SPARK_DIST_CLASSPATH")
_LINES: Final = 8
_END_OF_OUTPUT_S: Final = 5.0
_END_OF_PROCESS_S: Final = 2.0
_SAYS_WHY: Final = re.compile(r"error|exception|invalid|unrecognized|could not|cannot", re.IGNORECASE)
_JAVA_FRAME: Final = re.compile(r"\s+at |\s+\.\.\. \d+ more|Picked up \w+:")


def launch(conf: SparkConf, archives: Path) -> Any:
    """Start the JVM and return its gateway; its output is shown without Spark's remarks.

    Args:
        conf: Settings of the driver.
        archives: Folder of the archive of classes.

    Raises:
        SetupError: The JVM has exited during its start; the error has its message.
    """
    listens = {} if is_cluster(str(conf.get("spark.master"))) else {_ADDRESS: LOOPBACK}
    with _Output("stdout") as out, _Output("stderr") as errors, _ended_unless_started(archives, listens) as popen:
        try:
            gateway = launch_gateway(conf, {"stdout": out.into, "stderr": errors.into}, popen)
        except (PySparkException, Py4JError, OSError) as error:
            raise SetupError(
                "Spark's JVM did not start",
                where=f"JAVA_HOME={os.environ.get('JAVA_HOME', '')}",
                now=own_words(out.whole() + errors.whole()) or str(error),
            ) from None
        out.pass_on()
        errors.pass_on()
    return gateway


@contextmanager
def _ended_unless_started(
    archives: Path, listens: Mapping[str, str]
) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Yield the function that starts the JVM, and kill the JVM if the program ends during the start.

    Args:
        archives: Folder of the archive of classes.
        listens: Environment variable of the address at which Spark listens, unless the user has set it.
    """
    begun: list[subprocess.Popen[bytes]] = []

    def popen(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        environment = {**ENVIRONMENT, **listens, **options["env"]}
        given = environment.get(_JVM_OPTIONS, "")
        with class_archive(_spark_archive(archives, environment), environment, given) as classes:
            environment[_JVM_OPTIONS] = " ".join([*(f'"{one}"' for one in classes.options), given])
            options["env"], options["pass_fds"] = environment, classes.inherited
            begun.append(subprocess.Popen(*arguments, **options))  # noqa: S603
        return begun[-1]

    try:
        yield popen
    except BaseException:
        for process in begun:
            process.kill()
        raise


def _spark_archive(folder: Path, environment: Mapping[str, str]) -> Path:
    java = Path(environment["JAVA_HOME"], "bin", "java").resolve()
    return archive_of(folder, (java, spark_home() / "jars"), (environment.get(name, "") for name in _CLASS_PATH))


@final
class _Output:
    """Standard output or standard error of a JVM: buffered during its start, then passed on line by line."""

    def __init__(self, name: str) -> None:
        read, self.into = os.pipe()
        self._name = name
        self._stream = os.fdopen(read, "rb")
        self._early: list[bytes] = []
        self._passes_on = False
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._read, name=f"spark-{name}", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def pass_on(self) -> None:
        """Show the output so far, and each later line at once."""
        with self._lock:
            self._write(self._early)
            self._passes_on = True

    def whole(self) -> str:
        """Return the whole output of a JVM that has ended."""
        self._close()
        self._thread.join(_END_OF_OUTPUT_S)
        with self._lock:
            return b"".join(self._early).decode(errors="replace")

    def _close(self) -> None:
        """Close our copy of the JVM's end of the pipe."""
        if self.into >= 0:
            os.close(self.into)
            self.into = -1

    def _read(self) -> None:
        for line in self._stream if os.environ.get(LOG_VARIABLE) else shown_lines(self._stream):
            with self._lock:
                if self._passes_on:
                    self._write((line,))
                else:
                    self._early.append(line)

    def _write(self, lines: Iterable[bytes]) -> None:
        with suppress(AttributeError, OSError, ValueError):  # the program's own stream is closed or missing
            stream = getattr(sys, self._name)
            stream.buffer.writelines(lines)
            stream.flush()


_SUBMITTED: Final = "org.apache.spark.deploy.SparkSubmit"


def forward_signals(gateway: Any) -> None:
    """Forward a SIGTERM to the JVM of ``spark-submit`` to this program, which is its child.

    The JVM itself would stop Spark at once, in the middle of a micro-batch; now it ends after this program. Ctrl-C
    reaches both, so the JVM ignores it. A JVM that runs other things than this program is left alone.
    """
    jvm = gateway.jvm
    if getattr(gateway, "proc", None) is not None or os.name != "posix":
        return
    if not str(jvm.java.lang.System.getProperty("sun.java.command") or "").startswith(_SUBMITTED):
        return
    answer_callbacks(gateway)
    signals = jvm.sun.misc
    signals.Signal.handle(signals.Signal("TERM"), _Forwarder())
    signals.Signal.handle(signals.Signal("INT"), signals.SignalHandler.SIG_IGN)


@final
class _Forwarder:
    """Signal handler in the JVM that forwards the signal to this program."""

    class Java:
        """The interface, for py4j."""

        implements: ClassVar = ["sun.misc.SignalHandler"]

    def handle(self, number: Any) -> None:
        """Forward the signal."""
        os.kill(os.getpid(), number.getNumber())


def own_words(output: str) -> str:
    r"""Return the error message in the output of a JVM that has exited, without stack frames and usage.

    Example:
        >>> own_words("WARN: old\nError: too small\n\tat org.apache.spark.X(Y.java:1)\nUsage: spark-submit\n")
        'Error: too small'
    """
    lines = [line.rstrip() for line in output.splitlines() if line.strip() and not _JAVA_FRAME.match(line)]
    usage = next((index for index, line in enumerate(lines) if line.startswith("Usage:")), len(lines))
    first = next((index for index, line in enumerate(lines[:usage]) if _SAYS_WHY.search(line)), max(usage - _LINES, 0))
    return "\n  ".join(lines[first:usage][:_LINES])


def lost_jvm(error: BaseException | None = None) -> SparkLostError | None:
    """Return a ``SparkLostError`` if Spark's JVM has ended, else None.

    Args:
        error: Error of a call to the JVM; the only evidence if another process has started the JVM.
    """
    gateway = running_gateway()
    if gateway is None:
        return None
    is_cut_off = isinstance(error, (Py4JNetworkError, ConnectionError))
    process = getattr(gateway, "proc", None)
    if process is None:
        return SparkLostError("Spark's JVM does not answer any more", now=_AGAIN) if is_cut_off else None
    status = _status(process, _END_OF_PROCESS_S if is_cut_off else 0)
    return None if status is None else _ended(status)


def hush_end(context: SparkContext) -> None:
    """Silence py4j and Spark's accumulator server about a JVM that was killed; the job's own error reports it.

    py4j logs calls that fail to the root logger:
    https://github.com/py4j/py4j/blob/0.10.9.9/py4j-python/src/py4j/java_gateway.py#L1045.
    """
    logging.getLogger().addFilter(_is_not_of_py4j)
    wrap_accumulator_errors(context, lambda: lost_jvm(ConnectionError()) is not None)


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    return Path(record.pathname).parent.name != "py4j"


_OUT_OF_MEMORY: Final = 52
"""https://github.com/apache/spark/blob/v4.2.1/core/src/main/scala/org/apache/spark/util/SparkExitCode.scala, ``OOM``."""

_AGAIN: Final = "Start the program again; a job with a checkpoint directory continues where it stopped."


def _status(process: subprocess.Popen[bytes], patience_s: float) -> int | None:
    with suppress(subprocess.TimeoutExpired):
        return process.wait(patience_s) if patience_s else process.poll()
    return None


def _ended(status: int) -> SparkLostError:
    if status == _OUT_OF_MEMORY:
        heap = "Give it more (spark.driver.memory); a record of a compressed batch may be larger than the heap.\n  "
        return SparkLostError("Spark's JVM has ended, since its heap was out of memory", now=f"{heap}{_AGAIN}")
    if status >= 0:
        return SparkLostError(f"Spark's JVM has ended with exit status {status}", now=_AGAIN)
    name = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
    memory = "If no one has sent it, the system was out of memory (dmesg says so): give the machine or container more, "
    memory += "or Spark less (spark.driver.memory).\n  "
    return SparkLostError(f"Spark's JVM was killed by {name}", now=f"{memory if -status == 9 else ''}{_AGAIN}")
