"""Every error that kafkastream raises: what happened, where, and what to do now.

::

    KafkastreamError
    ├── DefinitionError (ValueError)              a job, source or sink that cannot be built as written
    │   └── ArgumentError (TypeError)             an argument of the wrong type
    ├── UnsupportedFeatureError (NotImplementedError)   a Flink feature that Spark cannot give, with what works instead
    ├── SetupError (RuntimeError)                 the machine lacks something
    │   ├── JavaNotFoundError
    │   ├── JarsUnavailableError
    │   ├── ConnectorMissingError
    │   ├── StorageError
    │   └── WorkerStartError
    ├── KafkaError (OSError)                      the broker said no, or nothing
    │   ├── AuthenticationError (PermissionError)
    │   ├── BrokerUnreachableError (ConnectionError)
    │   ├── UnknownTopicError
    │   ├── UnknownOffsetsError
    │   └── DeliveryError
    └── JobError (RuntimeError)                   a running job failed
        ├── SparkLostError
        ├── WorkerCrashedError
        ├── UserFunctionError
        ├── DeserializationError
        ├── SerializationError
        └── WorkerDependencyError
"""

from __future__ import annotations

import re
from typing import ClassVar, Final

from kafkastream.printable import printable
from kafkastream.secret_masking import shown_text

__all__ = [
    "ArgumentError",
    "AuthenticationError",
    "BrokerUnreachableError",
    "ConnectorMissingError",
    "DefinitionError",
    "DeliveryError",
    "DeserializationError",
    "JarsUnavailableError",
    "JavaNotFoundError",
    "JobError",
    "KafkaError",
    "KafkastreamError",
    "SerializationError",
    "SetupError",
    "SparkLostError",
    "StorageError",
    "UnknownOffsetsError",
    "UnknownTopicError",
    "UnsupportedFeatureError",
    "UserFunctionError",
    "WorkerCrashedError",
    "WorkerDependencyError",
    "WorkerStartError",
]


_FURTHER_LINE: Final = re.compile(r"\n(?=\S)")
_LONGEST: Final = 8_000


class KafkastreamError(Exception):
    """Base class of all errors of this package.

    Secrets in its texts are masked, and of a text of more than 8,000 characters only the beginning and the end are kept.

    Args:
        what: What happened, in one sentence.
        where: Operator, option, record or line that the error is about; empty if there is none.
        now: What to do about it; empty if ``what`` implies it.
    """

    code: ClassVar[str] = "error"

    def __init__(self, what: str, *, where: str = "", now: str = "") -> None:
        self.what, self.where, self.now = (shown_text(text, _LONGEST) for text in (what, where, now))
        super().__init__(self.what)

    def __str__(self) -> str:
        lines = [f"[{self.code}] {_indented(self.what)}"]
        if self.where:
            lines.append(f"  at {_indented(self.where)}")
        if self.now:
            lines.append(f"  {_indented(self.now)}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.what, self.where, self.now))


def _indented(text: str) -> str:
    """Return a text, which may be a record's, so that its further lines look like no lines of a log."""
    return _FURTHER_LINE.sub("\n    ", printable(text))


def _rebuild(kind: type[KafkastreamError], what: str, where: str, now: str) -> KafkastreamError:
    return kind(what, where=where, now=now)


class DefinitionError(KafkastreamError, ValueError):
    """Invalid definition of a job, source or sink.

    Flink raises NullPointerException, IllegalStateException or IllegalArgumentException for it.
    """

    code = "invalid-definition"


class ArgumentError(DefinitionError, TypeError):
    """Argument of the wrong type."""

    code = "invalid-argument"


class UnsupportedFeatureError(KafkastreamError, NotImplementedError):
    """Flink feature that is not supported; ``now`` names an alternative."""

    code = "unsupported-feature"


class SetupError(KafkastreamError, RuntimeError):
    """Missing or unusable software on the machine."""

    code = "setup"


class JavaNotFoundError(SetupError):
    """Java 17 or newer is not installed."""

    code = "java-not-found"


class JarsUnavailableError(SetupError):
    """Jars of Spark's Kafka connector or of Kafka could not be downloaded."""

    code = "jars-unavailable"


class ConnectorMissingError(SetupError):
    """Spark session without the Kafka connector."""

    code = "connector-missing"


class StorageError(SetupError):
    """Files cannot be written or read: the disk is full, the directory is read-only, the file system is unreachable."""

    code = "storage"


class WorkerStartError(SetupError):
    """Python worker of Spark that did not start in time, after retries for minutes."""

    code = "worker-start"


class KafkaError(KafkastreamError, OSError):
    """Request that Kafka refused, or did not answer."""

    code = "kafka"


class AuthenticationError(KafkaError, PermissionError):
    """Failed authentication: the brokers refuse the client's user or certificate, or the client does not trust
    theirs.
    """

    code = "authentication-failed"


class BrokerUnreachableError(KafkaError, ConnectionError):
    """No broker of ``bootstrap.servers`` answered in time."""

    code = "broker-unreachable"


class UnknownTopicError(KafkaError):
    """Topic or partition that does not exist."""

    code = "unknown-topic"


class UnknownOffsetsError(KafkaError):
    """Partitions without a starting or stopping offset, and without an offset reset strategy."""

    code = "unknown-offsets"


class DeliveryError(KafkaError):
    """Record that could not be written to its topic."""

    code = "delivery-failed"


class JobError(KafkastreamError, RuntimeError):
    """Failure of a running job."""

    code = "job-failed"


class SparkLostError(JobError):
    """End of Spark's JVM while the job was running: killed, or out of memory."""

    code = "spark-lost"


class WorkerCrashedError(JobError):
    """End of a Python worker during a task: ``os._exit``, a crash in native code, or out of memory."""

    code = "worker-crashed"


class UserFunctionError(JobError):
    """Exception of a user function; ``now`` holds its traceback."""

    code = "user-function"


class DeserializationError(JobError):
    """Record that the source's deserialization schema could not decode."""

    code = "deserialization"


class SerializationError(JobError):
    """Element that the sink's serialization schema could not encode."""

    code = "serialization"


class WorkerDependencyError(JobError, ImportError):
    """Package that the job imports, and that the workers' Python lacks."""

    code = "worker-dependency"
