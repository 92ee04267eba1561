"""Translates Spark's errors to ours; the only place that does."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import takewhile
from typing import Final

from pyspark.errors import AnalysisException, ParseException

from kafkastream.errors import (
    AuthenticationError,
    BrokerUnreachableError,
    ConnectorMissingError,
    DefinitionError,
    DeliveryError,
    DeserializationError,
    JobError,
    KafkaError,
    KafkastreamError,
    SetupError,
    SparkLostError,
    StorageError,
    UnknownTopicError,
    UserFunctionError,
    WorkerCrashedError,
    WorkerDependencyError,
    WorkerStartError,
)
from kafkastream.secret_masking import shown_text
from kafkastream.spark.internals import texts
from kafkastream.spark.internals.conditions import error_conditions, raised_text
from kafkastream.spark.session.descriptors import HOW_TO_RAISE
from kafkastream.spark.session.jvm import lost_jvm

__all__ = [
    "BAD_RECORD",
    "BAD_ROW",
    "FunctionFailedError",
    "error_text",
    "lost_records",
    "spark_refusals",
    "storage_error",
    "translated",
]

BAD_RECORD = "kafkastream cannot decode"
"""Prefix of the message about a record that Spark itself cannot decode."""

BAD_ROW = "kafkastream cannot write"
"""Prefix of the message about a row that a table refuses, such as a NULL in a NOT NULL column."""

_USER_FUNCTION = "kafkastream's user function failed"
"""Prefix of the message of a user-defined function's error."""

_CRASHES = "os._exit in a function ends a worker, as do a fault in native code and a lack of memory."

_NOT_THEIRS = r"[/\\](?:pyspark|kafkastream)[/\\]|<frozen "
_FRAMES = 5

Build = Callable[[re.Match[str], str, str], KafkastreamError]

_TABLE: tuple[tuple[str, Build], ...] = (
    (
        # An error's text may contain the plan, and so the expression of this message: only a real one has digits.
        rf"{BAD_RECORD} \[(topic \S+, partition \d+, offset \d+|file /[^\n\[\]]+)\] (.*?)(?: \[end\]|\Z)",
        lambda found, job, _: DeserializationError(
            f"job {job!r} failed to deserialize a record: {found[2]}",
            where=found[1],
            now="Fix or skip the record, or use a schema that accepts it; for a table, its format's 'ignore-parse-errors'.",
        ),
    ),
    (
        texts.TIMESTAMP_OVERFLOW,
        lambda found, job, _: DeserializationError(
            f"job {job!r} cannot read a record: its timestamp, {found[4]} ms, is beyond Spark's TIMESTAMP",
            where=f"topic {found[1]}, partition {found[2]}, offset {found[3]}",
            now="Kafka's timestamps are milliseconds since 1970: correct the producer if it writes microseconds or nanoseconds. "
            "A job in latency mode reads such a record; other jobs must start behind it.",
        ),
    ),
    (
        r"kafkastream\.errors\.StorageError: \[[a-z-]+\] ([^\n]+)\n(?:  at ([^\n]+)\n)?  ([A-Z][^\n]*)",
        lambda found, job, _: StorageError(found[1], where=found[2] or f"job {job!r}", now=found[3]),
    ),
    (
        rf"{BAD_ROW} \[partition \d+\] (.*?)(?: \[end\]|\Z)",
        lambda found, job, _: DeliveryError(found[1], where=f"job {job!r}"),
    ),
    (
        r"SlotTakenError: ([^\n]*)",
        lambda found, job, _: DeliveryError(
            f"another client writes with the same transactional ids: {found[1]}",
            where=f"job {job!r}",
            now="Check that the job does not run twice, and that no other job has this sink's prefix. The next start continues where this "
            "one stopped.",
        ),
    ),
    (
        texts.TOO_MANY_OPEN,
        lambda _, job, __: _too_many_open(f"job {job!r}"),
    ),
    (
        texts.NO_MODULE,
        lambda found, job, _: WorkerDependencyError(
            f"Spark's workers lack the module {found[1]!r}",
            where=f"job {job!r}",
            now="Install it for the workers' Python (PYSPARK_PYTHON), or ship it: a module with spark-submit --py-files, "
            "this whole environment with kafkastream pack.",
        ),
    ),
    (
        texts.NO_CONNECTOR,
        lambda _, job, __: _no_connector("", job),
    ),
    (texts.ANOTHER_QUERY, lambda _, job, __: _other_job("", job)),
    (
        texts.AUTHENTICATION,
        lambda found, job, servers: AuthenticationError(
            f"the Kafka brokers cannot be used with these credentials: {found[1]}",
            where=f"job {job!r}, bootstrap.servers {servers}",
            now="Check the properties sasl.* and ssl.* of the source.",
        ),
    ),
    (
        texts.KEY_STORE,
        lambda found, job, _: DefinitionError(
            f"Spark cannot read the store {found[1]}",
            where=f"job {job!r}",
            now="A source's stores must be there on every worker, or be given as PEM text: ssl.truststore.certificates, "
            "ssl.keystore.certificate.chain, ssl.keystore.key.",
        ),
    ),
    (
        texts.CONFIGURATION,
        lambda found, job, _: DefinitionError(
            f"Kafka's client refuses a property: {found[1]}", where=f"job {job!r}", now="Correct its value."
        ),
    ),
    (
        texts.UNKNOWN_TOPIC,
        lambda found, job, _: UnknownTopicError(
            f"{_topics(found.string)} does not exist any more", where=f"job {job!r}", now="Create it again."
        ),
    ),
    (
        texts.LOST_RECORDS,
        lambda found, job, _: lost_records(found[1], where=f"job {job!r}"),
    ),
    (
        texts.BROKERS_TIMEOUT,
        lambda found, job, servers: BrokerUnreachableError(
            f"the Kafka brokers do not answer: {found[1] or found[0]}",
            where=f"job {job!r}, bootstrap.servers {servers}",
            now="Check that they run; the next start continues where this one stopped.",
        ),
    ),
    (
        texts.DISK_FULL,
        lambda found, job, _: StorageError(
            f"a disk is full: {found[0]}",
            where=f"job {job!r}",
            now="Make room where the checkpoint directory is, and in Spark's local directory (spark.local.dir). "
            "The next start continues where this one stopped.",
        ),
    ),
    (
        texts.LOCAL_FOLDER_GONE,
        lambda found, job, _: StorageError(
            f"Spark's temporary folder {found[1]} was deleted while Spark ran",
            where=f"job {job!r}",
            now="Start the program again: it continues from its checkpoint. Systems delete old files in /tmp: set "
            "spark.local.dir to a directory that nothing cleans up.",
        ),
    ),
    (
        texts.STORAGE,
        lambda found, job, _: StorageError(
            f"files of the job cannot be read or written: {_java_message(found[1])}",
            where=f"job {job!r}",
            now="Check that the directory exists, is writable, and is mounted. The next start continues where this one stopped.",
        ),
    ),
    (
        texts.CANNOT_RUN,
        lambda found, job, _: SetupError(
            f"Spark cannot start the workers' Python {found[1]!r}",
            where=f"job {job!r}",
            now="Set PYSPARK_PYTHON to an interpreter that exists on every worker, or ship this one: kafkastream pack.",
        ),
    ),
    (
        texts.WORKER_CRASHED,
        lambda found, job, _: WorkerCrashedError(
            "one of Spark's Python workers ended during a task",
            where=f"job {job!r}",
            now=_frames(found["fatal"] or "") or _CRASHES,
        ),
    ),
    (
        texts.WORKER_LATE,
        lambda _, job, __: WorkerStartError(
            "a Python worker of Spark's did not start in time",
            where=f"job {job!r}",
            now="The machine is very busy: give it less to do, or more cores, and start again.",
        ),
    ),
)


_LONGEST: Final = 64_000
"""Maximum characters of an error text in which the cause is looked for."""
_JAVA_FRAME: Final = ("\tat ", "\t... ")


class FunctionFailedError(RuntimeError):
    """Error of a SQL function on its way from worker to driver, as text in Java's exception.

    Example:
        >>> failed = FunctionFailedError(UserFunctionError("f raised ValueError: [1]", now="its traceback"))
        >>> print(translated(failed, "totals", ""))
        [user-function] f raised ValueError: [1]
          at job 'totals'
          its traceback
    """

    def __init__(self, error: UserFunctionError) -> None:
        # The user's brackets are escaped, so that the end of the text is unambiguous.
        text = json.dumps([error.what, error.where, error.now])[1:-1].replace("[", r"\u005b")
        super().__init__(f"{_USER_FUNCTION} {{{text}}} [end]")


def _topics(text: str) -> str:
    """Return the topics of a query, from Spark's description of its sources in an error."""
    found = re.findall(r"KafkaV2\[Subscribe\[([^\]]+)\]\]", text)
    names = sorted({name.strip() for several in found for name in several.split(",")})
    return f"topic {names[0]}" if len(names) == 1 else f"one of the topics {', '.join(names) or 'that the job reads'}"


def _frames(fault: str) -> str:
    """Return the frames in a text of Python's faulthandler that are neither Spark's nor ours."""
    head, *lines = fault.splitlines() or [""]
    frames = [line.strip() for line in takewhile(lambda line: not line.startswith("\tat "), lines)]
    theirs = [line for line in frames if line.startswith("File ") and not re.search(_NOT_THEIRS, line)]
    return "\n  ".join([head, *theirs[:_FRAMES]])


def _user_function_error(text: str, job: str) -> UserFunctionError | None:
    """Return the error that a function has raised; None if the text has another, or only looks as if it had one."""
    begin = text.find(f"{_USER_FUNCTION} {{")
    end = text.find("} [end]", begin)
    if begin < 0 or end < 0:
        return None
    try:
        what, where, now = json.loads(f"[{text[begin + len(_USER_FUNCTION) + 2 : end]}]")
        return UserFunctionError(what, where=", ".join(filter(None, (f"job {job!r}", where))), now=now)
    except (ValueError, TypeError):
        return None


def lost_records(what: str, *, where: str) -> KafkaError:
    """Return the error that the next records of a job do not exist on the brokers any more."""
    return KafkaError(
        f"records that the job has not read yet are gone: {what}",
        where=where,
        now="The topic was deleted, created again or is no longer read, or its retention is shorter than the job's downtime.",
    )


def _other_job(_: str, job: str) -> JobError:
    return JobError(
        f"another job named {job!r} runs on the same checkpoint directory",
        now="Stop it first, or give this job another name.",
    )


def _no_connector(_: str, job: str) -> ConnectorMissingError:
    return ConnectorMissingError(
        "Spark runs without its Kafka connector",
        where=f"job {job!r}",
        now='Start with: spark-submit --jars "$(kafkastream jars)" …',
    )


def _data_loss(text: str, job: str) -> KafkaError:
    found = re.search(r"Reason: ([^\n]*)", text) or re.search(r"KAFKA_DATA_LOSS[.\w]*\] ([^\n]*)", text)
    return lost_records(found[1] if found else _first_line(text), where=f"job {job!r}")


_CONDITIONS: Mapping[str, Callable[[str, str], KafkastreamError]] = {
    "CONCURRENT_QUERY": _other_job,
    "CONCURRENT_STREAM_LOG_UPDATE": _other_job,
    "DATA_SOURCE_NOT_FOUND": _no_connector,
    "KAFKA_DATA_LOSS": _data_loss,
    "STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY": _other_job,
}
"""Makers of our errors by the first part of Spark's error condition; Spark's text only provides details."""


def _too_many_open(where: str) -> SetupError:
    return SetupError(
        "too many files and sockets are open",
        where=where,
        now=f"{HOW_TO_RAISE} If it has state and Spark is older than 4.2.1, use a newer one: that one leaks sockets "
        "(SPARK-58932).",
    )


def storage_error(what: str, error: Exception) -> StorageError | SetupError:
    """Return the error that a file system has failed, with Java's message."""
    if texts.TOO_MANY_OPEN in str(error):
        return _too_many_open("the checkpoint directory")
    lines = [line for line in str(error).splitlines() if line.startswith(": ")] or [_first_line(str(error))]
    return StorageError(
        f"{what}: {_java_message(lines[0])}",
        now="Check that the directory exists, is writable, and is on a disk that is not full.",
    )


def _java_message(line: str) -> str:
    """Return the message of a Java exception, without class names.

    Example:
        >>> _java_message(": java.io.FileNotFoundException: /a/b (Read-only file system)")
        '/a/b (Read-only file system)'
    """
    return re.sub(r"^:? *(?:(?:Caused by: )?[\w.$]+(?:Exception|Error): )+", "", line.strip())


def error_text(error: Exception) -> str:
    """Return the text of a Spark error without secrets, without all but the first of Java's frames, and at most 64,000 characters."""
    lines = str(error).splitlines(keepends=True)
    frames = [line.startswith(_JAVA_FRAME) for line in lines]
    kept = [
        line
        for line, is_frame, follows in zip(lines, frames, [False, *frames], strict=False)
        if not (is_frame and follows)
    ]
    return shown_text("".join(kept), _LONGEST)


def translated(error: Exception, job: str, servers: str) -> KafkastreamError:
    """Translate ``error`` of the job ``job``, which reads from the brokers ``servers``."""
    if isinstance(error, KafkastreamError):
        return error
    lost = lost_jvm(error)
    if lost is not None:
        return SparkLostError(lost.what, where=f"job {job!r}", now=lost.now)
    text = error_text(error)
    for condition in error_conditions(error):
        by_condition = _CONDITIONS.get(condition.partition(".")[0])
        if by_condition is not None:
            return by_condition(text, job)
    failed = _user_function_error(str(error), job)
    if failed is not None:
        return failed
    found = next(((build, match) for pattern, build in _TABLE if (match := re.search(pattern, text, re.DOTALL))), None)
    if found is None:
        return _of_plan(error, text, job)
    build, match = found
    return build(match, job, servers)


def _of_plan(error: Exception, text: str, job: str) -> JobError:
    """Return the error that a plan has raised, or that nobody knows."""
    raised = raised_text(error)
    if raised is not None:
        return JobError(raised, where=f"job {job!r}")
    return JobError(_first_line(text), where=f"job {job!r}", now="KAFKASTREAM_SPARK_LOG=ERROR shows Spark's own log.")


@contextmanager
def spark_refusals() -> Iterator[None]:
    """Turn errors of Spark's analyzer within a ``with`` block into ours.

    The planner refuses most wrong arguments; those that only Spark refuses are reported here, before the job runs.

    Raises:
        DefinitionError: Spark cannot compute an expression.
    """
    try:
        yield
    except (AnalysisException, ParseException) as error:
        reason = _first_line(str(error))
        raise DefinitionError(f"Spark cannot compute this: {reason}", now="Write it in another way.") from None


_NOISE = ("at ", "An error occurred while calling ", "An exception was thrown from the Python worker:")


def _first_line(text: str) -> str:
    """Return the most informative line: the last one of a Python error, else the first that is not a Java frame."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith(_NOISE)]
    python = [line for line in lines if re.match(r"[\w.]+(Error|Exception): ", line)]
    return (python or lines or ["Spark failed without a message"])[-1 if python else 0][:1000]
