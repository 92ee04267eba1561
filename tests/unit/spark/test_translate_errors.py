from __future__ import annotations

import pytest
from pyspark.errors import PySparkException

from kafkastream.errors import (
    AuthenticationError,
    BrokerUnreachableError,
    ConnectorMissingError,
    DefinitionError,
    DeserializationError,
    JobError,
    KafkaError,
    KafkastreamError,
    SetupError,
    StorageError,
    UnknownTopicError,
    UserFunctionError,
    WorkerCrashedError,
    WorkerDependencyError,
    WorkerStartError,
)
from kafkastream.spark.internals import texts
from kafkastream.spark.session.translate_errors import _TABLE, BAD_RECORD, FunctionFailedError, translated

STACK = "\n\tat org.apache.spark.Some.method(Some.scala:1)\n\tat java.base/java.lang.Thread.run(Thread.java:840)"

CASES: list[tuple[str, type[KafkastreamError], str]] = [
    (f"[USER] {BAD_RECORD} [topic t, partition 1, offset 2] it is bad [end] SQL", DeserializationError, "it is bad"),
    (
        "Record at topic t partition 1 offset 3 has timestamp value 1700000000000000000 that overflows when converting",
        DeserializationError,
        "1700000000000000000 ms",
    ),
    ("ModuleNotFoundError: No module named 'shop.orders'", WorkerDependencyError, "'shop.orders'"),
    ("NoClassDefFoundError: org/apache/spark/sql/kafka010.KafkaSourceProvider", ConnectorMissingError, "connector"),
    ("Cannot start query, another query with same id is already active", JobError, "another job named 'words'"),
    ("org.apache.kafka.common.config.ConfigException: Invalid value x for y", DefinitionError, "Invalid value x for y"),
    ("kafka.common.errors.SaslAuthenticationException: Invalid username", AuthenticationError, "Invalid username"),
    ("kafka.common.errors.SslAuthenticationException: SSL handshake failed", AuthenticationError, "handshake failed"),
    ("KafkaException: Failed to load SSL keystore /a/b.jks of type JKS", DefinitionError, "the store /a/b.jks"),
    ("common.errors.UnknownTopicOrPartitionException: gone", UnknownTopicError, "does not exist any more"),
    ("IllegalStateException: Partition t-0's offset was changed from 5 to 0", KafkaError, "Partition t-0's offset"),
    ("org.apache.kafka.common.errors.TimeoutException: Call(x) timed out", BrokerUnreachableError, "Call(x) timed out"),
    ('Cannot run program "chmod": error=24, Too many open files', SetupError, "too many files and sockets"),
    ("java.io.IOException: No space left on device", StorageError, "disk is full: No space left on device"),
    ("java.io.FileNotFoundException: /a/b (Read-only file system)", StorageError, "/a/b (Read-only file system)"),
    ("java.io.IOException: Mkdirs failed to create file:/a/b (exists=false)", StorageError, "create file:/a/b"),
    (
        "org.apache.hadoop.fs.ParentNotDirectoryException: Parent path is not a directory: file:/a",
        StorageError,
        "file:/a",
    ),
    ("java.nio.file.NoSuchFileException: /a/blockmgr-8a3b/33", StorageError, "folder /a/blockmgr-8a3b was deleted"),
    (
        "java.io.FileNotFoundException: /a/blockmgr-8a3b/0c/temp_shuffle_1 (No such file or directory)",
        StorageError,
        "folder /a/blockmgr-8a3b was deleted",
    ),
    ("SparkException: Python worker exited unexpectedly (crashed)", WorkerCrashedError, "ended during a task"),
    ('Cannot run program "python9": error=2', SetupError, "'python9'"),
    ("Python worker failed to connect back.", WorkerStartError, "did not start in time"),
]


@pytest.mark.parametrize(("text", "kind", "said"), CASES, ids=[case[0][:30] for case in CASES])
def test_sparks_words_become_the_users(text: str, kind: type[KafkastreamError], said: str) -> None:
    error = translated(RuntimeError(text + STACK), "words", "k:9092")
    assert type(error) is kind
    assert said in error.what
    assert "'words'" in error.what + error.where or type(error) is DeserializationError
    assert error.now
    assert "\tat " not in str(error)


@pytest.mark.parametrize(
    ("condition", "kind", "said"),
    [
        ("DATA_SOURCE_NOT_FOUND", ConnectorMissingError, "connector"),
        ("CONCURRENT_STREAM_LOG_UPDATE", JobError, "another job named 'words'"),
        ("CONCURRENT_QUERY", JobError, "another job named 'words'"),
        ("KAFKA_DATA_LOSS.PARTITION_OFFSET_CHANGED", KafkaError, "records that the job has not read yet are gone"),
    ],
)
def test_conditions_decide_whatever_the_words(condition: str, kind: type[KafkastreamError], said: str) -> None:
    query_ended = RuntimeError("[STREAM_FAILED] Query terminated")
    query_ended.__cause__ = PySparkException(message="in words of tomorrow", errorClass=condition)
    error = translated(query_ended, "words", "k:9092")
    assert type(error) is kind
    assert said in error.what


def test_a_plans_own_error_is_told_by_its_condition() -> None:
    query_ended = RuntimeError("[STREAM_FAILED] Query terminated")
    query_ended.__cause__ = PySparkException(
        message="in words of tomorrow",
        errorClass="USER_RAISED_EXCEPTION",
        messageParameters={"errorMessage": "NaN is no DECIMAL, sasl.password=HUSH"},
    )
    error = translated(query_ended, "words", "k:9092")
    assert (type(error), error.what, error.where) == (
        JobError,
        "NaN is no DECIMAL, sasl.password=***",
        "job 'words'",
    )


def test_texts_of_others_that_decide_are_listed_with_the_internals() -> None:
    listed = {getattr(texts, name) for name in texts.__all__}
    own = ("kafkastream", "SlotTakenError")
    assert [pattern for pattern, _ in _TABLE if pattern not in listed and not pattern.startswith(own)] == []


def test_unreachable_brokers_are_told_with_their_address() -> None:
    error = translated(RuntimeError("Timed out waiting for a node assignment. Call: x"), "words", "k:9092")
    assert (type(error), error.where) == (BrokerUnreachableError, "job 'words', bootstrap.servers k:9092")


def test_bad_record_keeps_its_position() -> None:
    text = f"{BAD_RECORD} [topic t, partition 1, offset 2] it is bad [end]"
    assert translated(RuntimeError(text), "words", "k").where == "topic t, partition 1, offset 2"


def test_plan_that_mentions_bad_records_is_not_taken_for_one() -> None:
    plan = f"raise_error(concat({BAD_RECORD} [topic , topic#1, , partition , cast(partition#2 as string), ] no [end]))"
    error = translated(RuntimeError(f"Something else went wrong\n{plan}"), "words", "k")
    assert (type(error), error.what) == (JobError, "Something else went wrong")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (f"PythonException: \nTraceback:\n  File x\nValueError: the cause{STACK}", "ValueError: the cause"),
        (f"An error occurred while calling o5.start.\n: java.lang.X: why{STACK}", ": java.lang.X: why"),
        (STACK, "Spark failed without a message"),
    ],
)
def test_unknown_errors_keep_the_line_that_says_most(text: str, what: str) -> None:
    error = translated(RuntimeError(text), "words", "k")
    assert (type(error), error.what, error.where) == (JobError, what, "job 'words'")
    assert "KAFKASTREAM_SPARK_LOG" in error.now


def test_own_errors_pass_unchanged() -> None:
    own = UnknownTopicError("topic t does not exist")
    assert translated(own, "words", "k") is own


@pytest.mark.parametrize(
    "shown",
    [
        'sasl.jaas.config=M required username="u; x" password="HUSH; b";',
        r'sasl.jaas.config=M required password="a\"; HUSH";',
        "sasl.oauthbearer.client.credentials.client.secret=HUSH",
        "basic.auth.user.info=a:HUSH",
        "ssl.keystore.password=HUSH",
    ],
)
def test_no_kind_of_secret_is_shown(shown: str) -> None:
    error = translated(ValueError(f"requirement failed: {{group.id=g, {shown}, acks=all}}"), "j", "k:9092")
    assert "HUSH" not in str(error)
    assert "acks=all" in str(error)


def test_secrets_among_a_clients_properties_are_not_shown() -> None:
    jaas = 'sasl.jaas.config=M required username="u" password="a;hunter2, }";'
    key = "ssl.keystore.key=-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----\n"
    text = f"requirement failed: {{group.id=g, {jaas}, ssl.truststore.password=hunter2, {key}, client.id=c}}"
    what = translated(RuntimeError(text), "words", "k").what
    assert "hunter2" not in what
    assert what == (
        "requirement failed: {group.id=g, sasl.jaas.config=***, ssl.truststore.password=***, ssl.keystore.key=***,"
        " client.id=c}"
    )


def test_errors_of_functions_come_through_with_what_looks_like_secrets() -> None:
    failed = UserFunctionError(
        "f raised ValueError: password=HUSH", where="arguments 1", now="[x] sasl.jaas.config=HUSH"
    )
    error = translated(FunctionFailedError(failed), "words", "k")
    assert (type(error), error.what) == (UserFunctionError, "f raised ValueError: password=***")
    assert (error.where, error.now) == ("job 'words', arguments 1", "[x] sasl.jaas.config=***")


def test_fault_in_native_code_shows_the_functions_frames() -> None:
    fault = """Python worker exited unexpectedly (crashed): Fatal Python error: Segmentation fault

Current thread 0x00007f (most recent call first):
  File "/usr/lib/python3.11/ctypes/__init__.py", line 519 in string_at
  File "/home/me/job.py", line 33 in parsed
  File "/venv/lib/python3.11/site-packages/kafkastream/spark/batches.py", line 64 in each
  File "/venv/lib/python3.11/site-packages/pyspark/worker.py", line 3500 in main
"""
    assert translated(RuntimeError(fault + STACK), "words", "k").now.splitlines() == [
        "Fatal Python error: Segmentation fault",
        '  File "/usr/lib/python3.11/ctypes/__init__.py", line 519 in string_at',
        '  File "/home/me/job.py", line 33 in parsed',
    ]
