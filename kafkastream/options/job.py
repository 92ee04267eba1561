"""The settings of a job: Flink's keys for its name, parallelism, checkpoints and restarts."""

from __future__ import annotations

from typing import Final

from kafkastream.options.option import Option
from kafkastream.options.parsers import choice, integer, list_of, millis_of_duration, text

__all__ = [
    "AUTO_WATERMARK_INTERVAL",
    "CHECKPOINT_DIR",
    "CHECKPOINT_INTERVAL",
    "CHECKPOINT_MODE",
    "JARS",
    "JOB_NAME",
    "JOB_OPTIONS",
    "PARALLELISM",
    "PYTHON_FILES",
    "RESTART_STRATEGY",
    "RUNTIME_MODE",
]

PARALLELISM: Final = Option[int | None](
    key="parallelism.default",
    parse=integer,
    default=None,
    doc="How many subtasks an operator has when it does not say so itself; as many as Spark has cores if not given.",
)
JOB_NAME: Final = Option[str](
    key="pipeline.name",
    parse=text,
    default="Flink Streaming Job",
    doc="The job's name, which is also its directory below the checkpoint directory.",
)
JARS: Final = Option[tuple[str, ...]](
    key="pipeline.jars",
    parse=list_of(text),
    default=(),
    doc="Jars for the job, as URLs separated by `;`. Flink's Kafka connector is not needed here.",
)
AUTO_WATERMARK_INTERVAL: Final = Option[int](
    key="pipeline.auto-watermark-interval",
    parse=millis_of_duration,
    default=200,
    doc="How often watermarks are emitted; in ms unless it has a unit.",
)
RUNTIME_MODE: Final = Option[str](
    key="execution.runtime-mode",
    parse=choice("STREAMING", "BATCH", "AUTOMATIC"),
    default="STREAMING",
    doc="Whether the job runs on and on (`STREAMING`), or once over bounded input (`BATCH`).",
)
CHECKPOINT_INTERVAL: Final = Option[int | None](
    key="execution.checkpointing.interval",
    parse=millis_of_duration,
    default=None,
    doc="How often the job is checkpointed, in ms unless it has a unit; where it is kept, the checkpoint directory says.",
)
CHECKPOINT_MODE: Final = Option[str](
    key="execution.checkpointing.mode",
    parse=choice("EXACTLY_ONCE", "AT_LEAST_ONCE"),
    default="EXACTLY_ONCE",
    doc="What a checkpoint promises for the job's state.",
)
CHECKPOINT_DIR: Final = Option[str | None](
    key="execution.checkpointing.dir",
    parse=text,
    default=None,
    doc="Where checkpoints are kept: a path or URL that the driver and the workers reach.",
    deprecated_keys=("state.checkpoints.dir",),
)
RESTART_STRATEGY: Final = Option[str | None](
    key="restart-strategy.type",
    parse=choice(
        "none",
        "fixed-delay",
        "failure-rate",
        "exponential-delay",
        aliases={
            "off": "none",
            "disable": "none",
            "fixeddelay": "fixed-delay",
            "failurerate": "failure-rate",
            "exponentialdelay": "exponential-delay",
        },
    ),
    default=None,
    doc="What to do when the job fails: `none`, `fixed-delay`, `failure-rate` or `exponential-delay`.",
    deprecated_keys=("restart-strategy",),
)
PYTHON_FILES: Final = Option[tuple[str, ...]](
    key="python.files",
    parse=list_of(text, separator=","),
    default=(),
    doc="Python files, packages and archives that the workers need, separated by `,`.",
)

JOB_OPTIONS: Final = (
    PARALLELISM,
    JOB_NAME,
    JARS,
    AUTO_WATERMARK_INTERVAL,
    RUNTIME_MODE,
    CHECKPOINT_INTERVAL,
    CHECKPOINT_MODE,
    CHECKPOINT_DIR,
    RESTART_STRATEGY,
    PYTHON_FILES,
)
