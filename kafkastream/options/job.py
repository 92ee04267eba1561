"""Job options under Flink's keys: name, parallelism, runtime mode, parameters, Python environment of the workers."""

from __future__ import annotations

from typing import Any, Final

from kafkastream.options.checkpoints import CHECKPOINT_OPTIONS
from kafkastream.options.latency import LATENCY_OPTIONS
from kafkastream.options.option import Option
from kafkastream.options.parsers import (
    boolean,
    choice,
    integer,
    list_of,
    map_of,
    millis_of_duration,
    millis_or_never,
    text,
)
from kafkastream.options.records import RECORD_OPTIONS
from kafkastream.options.rest import REST_OPTIONS
from kafkastream.options.restarts import RESTART_OPTIONS

__all__ = [
    "AUTO_GENERATED_UIDS",
    "AUTO_WATERMARK_INTERVAL",
    "BUFFER_TIMEOUT",
    "BUFFER_TIMEOUT_ENABLED",
    "CHAINS_OTHER_MAX_PARALLELISM",
    "CLASSPATHS",
    "CLOSURE_CLEANER",
    "FORCE_AVRO",
    "FORCE_KRYO",
    "GENERIC_TYPES",
    "JARS",
    "JOB_NAME",
    "JOB_OPTIONS",
    "JOB_PARAMETERS",
    "LATENCY_INTERVAL",
    "MAX_PARALLELISM",
    "OBJECT_REUSE",
    "OPERATOR_CHAINING",
    "PARALLELISM",
    "PROGRESS",
    "PYTHON_ARCHIVES",
    "PYTHON_CHAINING",
    "PYTHON_EXECUTABLE",
    "PYTHON_FILES",
    "PYTHON_REQUIREMENTS",
    "RUNTIME_MODE",
    "TASK_CANCELLATION_INTERVAL",
    "TASK_CANCELLATION_TIMEOUT",
    "TIME_CHARACTERISTIC",
]

PARALLELISM: Final = Option[int | None](
    key="parallelism.default",
    parse=integer,
    default=None,
    doc="Default parallelism of operators; by default, the number of Spark's cores.",
)
MAX_PARALLELISM: Final = Option[int | None](
    key="pipeline.max-parallelism",
    parse=integer,
    default=None,
    doc="Maximum parallelism of operators.",
)
JOB_NAME: Final = Option[str](
    key="pipeline.name",
    parse=text,
    default="Flink Streaming Job",
    doc="Name of the job, and of its folder in the checkpoint directory.",
)
JOB_PARAMETERS: Final = Option[dict[str, str]](
    key="pipeline.global-job-parameters",
    parse=map_of,
    default={},
    doc="Parameters returned by `RuntimeContext.get_job_parameter`: `key:value` pairs, separated by `,`.",
)
RUNTIME_MODE: Final = Option[str](
    key="execution.runtime-mode",
    parse=choice("STREAMING", "BATCH", "AUTOMATIC"),
    default="STREAMING",
    doc="Runtime mode: `STREAMING`, `BATCH` for bounded sources, or `AUTOMATIC`, which chooses by the sources.",
)
PYTHON_FILES: Final = Option[tuple[str, ...]](
    key="python.files",
    parse=list_of(text, separator=","),
    default=(),
    doc="Python files and zip archives of packages to ship to the workers, separated by `,`.",
)
PYTHON_EXECUTABLE: Final = Option[str | None](
    key="python.executable",
    parse=text,
    default=None,
    doc="Python interpreter of the workers; by default, that of the program.",
)
PYTHON_REQUIREMENTS: Final = Option[str | None](
    key="python.requirements", parse=text, default=None, doc="Requirements file of the workers' Python."
)
PYTHON_ARCHIVES: Final = Option[tuple[str, ...]](
    key="python.archives", parse=list_of(text, separator=","), default=(), doc="Archives for the workers."
)

PROGRESS: Final = Option[str](
    key="kafkastream.progress",
    parse=choice("auto", "on", "off"),
    default="auto",
    doc="Whether start and progress of the job are printed to standard error. `auto` prints them under `kafkastream "
    "run` and `kafkastream sql`, and if standard error is a terminal.",
)

# Options below are accepted and returned without effect.
JARS: Final = Option[tuple[str, ...]](
    key="pipeline.jars", parse=list_of(text), default=(), doc="Jars for the job, as URLs separated by `;`."
)
CLASSPATHS: Final = Option[tuple[str, ...]](
    key="pipeline.classpaths", parse=list_of(text), default=(), doc="Class paths for the job, as URLs separated by `;`."
)
AUTO_WATERMARK_INTERVAL: Final = Option[int](
    key="pipeline.auto-watermark-interval",
    parse=millis_of_duration,
    default=200,
    doc="Interval of periodic watermarks; in ms unless it has a unit.",
)
BUFFER_TIMEOUT: Final = Option[int](
    key="execution.buffer-timeout.interval",
    parse=millis_or_never,
    default=100,
    doc="Set to 0 or more, the latency mode is on: records pass through one by one. The time itself has no effect.",
    deprecated_keys=("execution.buffer-timeout",),
)
TASK_CANCELLATION_INTERVAL: Final = Option[int](
    key="task.cancellation.interval",
    parse=millis_of_duration,
    default=30_000,
    doc="Time between two attempts to cancel a task.",
)
TASK_CANCELLATION_TIMEOUT: Final = Option[int](
    key="task.cancellation.timeout",
    parse=millis_of_duration,
    default=180_000,
    doc="Timeout of the cancellation of a task.",
)
LATENCY_INTERVAL: Final = Option[int](
    key="metrics.latency.interval", parse=millis_of_duration, default=0, doc="Interval of latency markers."
)
CLOSURE_CLEANER: Final = Option[str](
    key="pipeline.closure-cleaner-level",
    parse=choice("NONE", "TOP_LEVEL", "RECURSIVE"),
    default="RECURSIVE",
    doc="Level of Java's closure cleaner.",
)


def _switch(key: str, doc: str, *, default: bool = False, older: tuple[str, ...] = ()) -> Option[bool]:
    return Option(key=key, parse=boolean, default=default, doc=doc, deprecated_keys=older)


OBJECT_REUSE: Final = _switch("pipeline.object-reuse", "Whether Java objects are reused between functions.")
OPERATOR_CHAINING: Final = _switch(
    "pipeline.operator-chaining.enabled",
    "Whether operators are chained into one task.",
    default=True,
    older=("pipeline.operator-chaining",),
)
PYTHON_CHAINING: Final = _switch(
    "python.operator-chaining.enabled", "Whether Python operators are chained into one process.", default=True
)
CHAINS_OTHER_MAX_PARALLELISM: Final = _switch(
    "pipeline.operator-chaining.chain-operators-with-different-max-parallelism",
    "Whether operators of different maximum parallelism are chained.",
    default=True,
)
GENERIC_TYPES: Final = _switch("pipeline.generic-types", "Whether Java types may be generic.", default=True)
FORCE_KRYO: Final = _switch("pipeline.force-kryo", "Whether Java objects are serialized by Kryo.")
FORCE_AVRO: Final = _switch("pipeline.force-avro", "Whether Java objects are serialized by Avro.")
AUTO_GENERATED_UIDS: Final = _switch(
    "pipeline.auto-generate-uids", "Whether operators without a uid get a generated one.", default=True
)


BUFFER_TIMEOUT_ENABLED: Final = _switch(
    "execution.buffer-timeout.enabled", "Whether network buffers are flushed after a timeout.", default=True
)
TIME_CHARACTERISTIC: Final = Option[str](
    key="pipeline.time-characteristic",
    parse=choice("ProcessingTime", "IngestionTime", "EventTime"),
    default="EventTime",
    doc="Time characteristic of a Flink 1.x job.",
)


def _python(key: str, doc: str) -> Option[str | None]:
    return Option(key=key, parse=text, default=None, doc=doc)


_WITHOUT_GETTER: Final = (
    _python(
        "python.execution-mode", "Execution mode of Python functions: `process`, or `thread` in the JVM's process."
    ),
    _python("python.fn-execution.bundle.size", "Maximum number of elements in a bundle for Python."),
    _python("python.fn-execution.bundle.time", "Maximum time of elements in a bundle for Python, in ms."),
    _python("table.exec.source.idle-timeout", "Time without records after which a source of the Table API is idle."),
)

JOB_OPTIONS: Final[tuple[Option[Any], ...]] = (
    PARALLELISM,
    MAX_PARALLELISM,
    JOB_NAME,
    JOB_PARAMETERS,
    RUNTIME_MODE,
    *CHECKPOINT_OPTIONS,
    *RESTART_OPTIONS,
    PYTHON_FILES,
    PYTHON_EXECUTABLE,
    PYTHON_REQUIREMENTS,
    PYTHON_ARCHIVES,
    PROGRESS,
    *LATENCY_OPTIONS,
    *REST_OPTIONS,
    *RECORD_OPTIONS,
    JARS,
    CLASSPATHS,
    AUTO_WATERMARK_INTERVAL,
    BUFFER_TIMEOUT,
    BUFFER_TIMEOUT_ENABLED,
    TIME_CHARACTERISTIC,
    TASK_CANCELLATION_INTERVAL,
    TASK_CANCELLATION_TIMEOUT,
    LATENCY_INTERVAL,
    CLOSURE_CLEANER,
    OBJECT_REUSE,
    OPERATOR_CHAINING,
    PYTHON_CHAINING,
    CHAINS_OTHER_MAX_PARALLELISM,
    GENERIC_TYPES,
    FORCE_KRYO,
    FORCE_AVRO,
    AUTO_GENERATED_UIDS,
    *_WITHOUT_GETTER,
)
