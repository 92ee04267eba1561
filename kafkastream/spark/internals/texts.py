"""Texts of messages that decide something, because nothing else tells the case: no error condition, no class of errors.

Texts of Spark, its workers, Kafka's client, Delta Lake, Java and the operating system, as regular expressions. A condition
goes before a text (``conditions``); a text that is no longer found makes an error less precise, and no job wrong.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "ALL_PARTITIONS",
    "ANOTHER_QUERY",
    "AUTHENTICATION",
    "BROKERS_TIMEOUT",
    "CANNOT_RUN",
    "CONFIGURATION",
    "DELTA_CONCURRENT_CLASSES",
    "DISK_FULL",
    "GETTING_OFFSETS",
    "KEY_STORE",
    "LOCAL_FOLDER_GONE",
    "LOST_RECORDS",
    "NO_CONNECTOR",
    "NO_MODULE",
    "STORAGE",
    "TIMESTAMP_OVERFLOW",
    "TOO_MANY_OPEN",
    "UNKNOWN_TOPIC",
    "WORKER_CRASHED",
    "WORKER_LATE",
]

GETTING_OFFSETS: Final = r"Getting offsets from"
"""Status of a query that asks its sources whether there is more.

https://github.com/apache/spark/blob/v4.2.1/sql/core/src/main/scala/org/apache/spark/sql/execution/streaming/runtime/MicroBatchExecution.scala
"""

ALL_PARTITIONS: Final = r"you must specify all TopicPartitions"
"""Assertion of Kafka's source: partitions were added after the starting offsets had been resolved.

https://github.com/apache/spark/blob/v4.2.1/connector/kafka-0-10-sql/src/main/scala/org/apache/spark/sql/kafka010/KafkaOffsetReaderAdmin.scala
"""

ANOTHER_QUERY: Final = r"another query with same id is already active"
"""Java exception without a condition, for a query that was started twice in one session.

https://github.com/apache/spark/blob/v4.2.1/sql/core/src/main/scala/org/apache/spark/sql/classic/StreamingQueryManager.scala
"""

NO_CONNECTOR: Final = r"kafka010\.KafkaSourceProvider"
"""Class that is not found, for a query that was planned before."""

NO_MODULE: Final = r"ModuleNotFoundError: No module named '([\w.]+)'"
"""Python's error in a worker; only its traceback comes back."""

WORKER_CRASHED: Final = r"Python worker exited unexpectedly(?: \(crashed\)(?::\s*(?P<fatal>Fatal Python error: .*))?)?"
"""The end of a worker, with the text of Python's faulthandler.

https://github.com/apache/spark/blob/v4.2.1/core/src/main/scala/org/apache/spark/api/python/PythonRunner.scala
"""

WORKER_LATE: Final = r"Python worker failed to connect back"
"""A worker that has not started within ten seconds.

https://github.com/apache/spark/blob/v4.2.1/core/src/main/scala/org/apache/spark/api/python/PythonWorkerFactory.scala
"""

AUTHENTICATION: Final = r"common\.errors\.(?:Sasl|Ssl)AuthenticationException: ([^\n]*)"
KEY_STORE: Final = r"Failed to load (?:SSL keystore|PEM SSL keystore) (\S+)"
CONFIGURATION: Final = r"common\.config\.ConfigException: ([^\n]*)"
UNKNOWN_TOPIC: Final = r"UnknownTopicOrPartitionException"
BROKERS_TIMEOUT: Final = r"kafka\.common\.errors\.TimeoutException: ([^\n]*)|Timed out waiting for a node assignment"
"""Classes and messages of Kafka's client, below Spark's errors or in an executor's text.

https://github.com/apache/kafka/tree/trunk/clients/src/main/java/org/apache/kafka/common/errors
"""

LOST_RECORDS: Final = r"IllegalStateException: ((?:Partition|Cannot fetch)[^\n]*)"
"""Data loss that an executor notices; the driver tells it with the condition ``KAFKA_DATA_LOSS``.

https://github.com/apache/spark/blob/v4.2.1/connector/kafka-0-10-sql/src/main/scala/org/apache/spark/sql/kafka010/consumer/KafkaDataConsumer.scala
"""

TIMESTAMP_OVERFLOW: Final = (
    r"Record at topic (\S+) partition (\d+) offset (\d+) has timestamp value (-?\d+) that overflows"
)
"""A record whose time in ms does not fit into Spark's TIMESTAMP, which has microseconds.

https://github.com/apache/spark/blob/v4.2.1/connector/kafka-0-10-sql/src/main/scala/org/apache/spark/sql/kafka010/KafkaRecordToRowConverter.scala
"""

CANNOT_RUN: Final = r"Cannot run program \"([^\"]+)\""
"""Java's error of a process that did not start."""

TOO_MANY_OPEN: Final = r"Too many open files"
DISK_FULL: Final = r"No space left on device|Disk quota exceeded|File too large"
"""Messages of the operating system."""

STORAGE: Final = (
    r"(?m:^)([^\n]*?(?:Permission denied|Read-only file system|ot a directory|Input/output error|Stale file handle"
    r"|Mkdirs failed to create|AccessDeniedException|AccessControlException|Transport endpoint is not connected)[^\n]*)"
)
"""Messages of file systems that are read-only or unavailable."""

LOCAL_FOLDER_GONE: Final = r"(?:NoSuchFileException|FileNotFoundException):\s+(\S*/blockmgr-[\w-]+)"
"""Java's message of a missing file in the folder that Spark creates once, at its start, for its temporary files.

https://github.com/apache/spark/blob/v4.2.1/core/src/main/scala/org/apache/spark/storage/DiskBlockManager.scala
"""

DELTA_CONCURRENT_CLASSES: Final = r"Concurrent\w{1,99}Exception|MetadataChangedException"
"""Delta Lake's classes of conflicts with other writers, some of which have no condition.

https://docs.delta.io/concurrency-control/
"""
