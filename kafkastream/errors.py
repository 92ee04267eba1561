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

from typing import ClassVar

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


class KafkastreamError(Exception):
    """Any error of this package; catch it to catch them all.

    Args:
        what: What happened, one sentence.
        where: The place in the user's words: an operator, an option, a record; empty when there is none.
        now: What to do about it; empty when the first sentence says it.
    """

    code: ClassVar[str] = "error"

    def __init__(self, what: str, *, where: str = "", now: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.now = now

    def __str__(self) -> str:
        lines = [f"[{self.code}] {self.what}"]
        if self.where:
            lines.append(f"  at {self.where}")
        if self.now:
            lines.append(f"  {self.now}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.what, self.where, self.now))


def _rebuild(kind: type[KafkastreamError], what: str, where: str, now: str) -> KafkastreamError:
    return kind(what, where=where, now=now)


class DefinitionError(KafkastreamError, ValueError):
    """A job, source or sink that cannot be built as it is written (Flink: NPE, IllegalState-, IllegalArgumentException)."""

    code = "invalid-definition"


class ArgumentError(DefinitionError, TypeError):
    """An argument of a call has the wrong type."""

    code = "invalid-argument"


class UnsupportedFeatureError(KafkastreamError, NotImplementedError):
    """A Flink feature that is not to be had here; ``now`` names the nearest thing that works."""

    code = "unsupported-feature"


class SetupError(KafkastreamError, RuntimeError):
    """The machine lacks something that the job needs."""

    code = "setup"


class JavaNotFoundError(SetupError):
    """No Java 17 or newer on this machine."""

    code = "java-not-found"


class JarsUnavailableError(SetupError):
    """The connector's or the broker's jars could not be fetched."""

    code = "jars-unavailable"


class ConnectorMissingError(SetupError):
    """Spark runs without its Kafka connector."""

    code = "connector-missing"


class StorageError(SetupError):
    """Files cannot be written or read: a full disk, a directory that is read-only, a file system that is gone."""

    code = "storage"


class WorkerStartError(SetupError):
    """A Python worker of Spark's did not start in time, though the job has tried again for minutes."""

    code = "worker-start"


class KafkaError(KafkastreamError, OSError):
    """Kafka refused a request or did not answer."""

    code = "kafka"


class AuthenticationError(KafkaError, PermissionError):
    """The brokers refuse a client's user or certificate, or the client does not trust theirs."""

    code = "authentication-failed"


class BrokerUnreachableError(KafkaError, ConnectionError):
    """No broker of ``bootstrap.servers`` answered in time."""

    code = "broker-unreachable"


class UnknownTopicError(KafkaError):
    """A topic or partition that the job names does not exist."""

    code = "unknown-topic"


class UnknownOffsetsError(KafkaError):
    """Partitions have no offset to begin or stop at, and no strategy says where else."""

    code = "unknown-offsets"


class DeliveryError(KafkaError):
    """A record could not be written to its topic."""

    code = "delivery-failed"


class JobError(KafkastreamError, RuntimeError):
    """A running job failed."""

    code = "job-failed"


class SparkLostError(JobError):
    """Spark's JVM has ended while the job was running: killed, or out of memory."""

    code = "spark-lost"


class WorkerCrashedError(JobError):
    """A Python worker of Spark's has ended in the midst of a task: ``os._exit``, a fault in native code, no memory."""

    code = "worker-crashed"


class UserFunctionError(JobError):
    """A function of the job raised; ``now`` holds its own traceback."""

    code = "user-function"


class DeserializationError(JobError):
    """A record could not be decoded by the source's schema."""

    code = "deserialization"


class SerializationError(JobError):
    """An element could not be encoded by the sink's schema."""

    code = "serialization"


class WorkerDependencyError(JobError, ImportError):
    """Spark's workers lack a package that the job imports."""

    code = "worker-dependency"
