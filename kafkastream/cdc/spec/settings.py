"""Settings of a pipeline: job, schema changes, and handling of records that cannot be parsed."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias, final
from zoneinfo import ZoneInfo

import attrs

from kafkastream.cdc.spec.section import NAME as SECTION_NAME
from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.job.configuration import Configuration
from kafkastream.model.job.job_result import JobSettings
from kafkastream.model.job.job_settings import job_settings
from kafkastream.options import job
from kafkastream.options.job import JOB_OPTIONS
from kafkastream.options.metrics import METRIC_OPTIONS, REPORTER_PREFIX
from kafkastream.options.option import Option, OptionFamily
from kafkastream.options.parsers import choice, enum_member, positive, text
from kafkastream.options.table_config import LOCAL_TIME_ZONE as TABLE_TIME_ZONE
from kafkastream.secret_masking import redacted
from kafkastream.sql.settings import options_of, setting

__all__ = [
    "COLLECTOR_TOPIC",
    "COLLECTOR_TYPE",
    "FUNCTION_CLASSPATH",
    "FUNCTION_NAME",
    "JOB_KEYS",
    "PIPELINE_OPTIONS",
    "DirtyDataCollector",
    "KafkaCollector",
    "LoggerCollector",
    "PipelineFunction",
    "PipelineSettings",
    "RouteMode",
    "RuntimeMode",
    "SchemaChangeBehavior",
]


class RuntimeMode(enum.Enum):
    """Runtime mode of a pipeline."""

    STREAMING = "STREAMING"
    BATCH = "BATCH"


class RouteMode(enum.Enum):
    """Number of matching route rules that apply: all, or the first."""

    ALL_MATCH = "ALL_MATCH"
    FIRST_MATCH = "FIRST_MATCH"


class SchemaChangeBehavior(enum.Enum):
    """Reaction to schema changes."""

    EXCEPTION = "exception"
    EVOLVE = "evolve"
    TRY_EVOLVE = "try_evolve"
    LENIENT = "lenient"
    IGNORE = "ignore"


@final
@attrs.frozen
class LoggerCollector:
    """Collector that logs records which cannot be parsed."""


@final
@attrs.frozen
class KafkaCollector:
    """Collector that writes records which cannot be parsed to a topic of the source's brokers.

    The topic must exist or be auto-created.
    """

    topic: str

    def __attrs_post_init__(self) -> None:
        if not self.topic:
            raise DefinitionError("the dirty data collector 'kafka' needs a 'topic'")


DirtyDataCollector: TypeAlias = LoggerCollector | KafkaCollector

FUNCTION_NAME: Final = Option[str](key="name", parse=text, default="", doc="Name in expressions.")
FUNCTION_CLASSPATH: Final = Option[str](
    key="classpath", parse=text, default="", doc="Python path of the function: `package.module.name`."
)


@final
@attrs.frozen
class PipelineFunction:
    """User-defined function for expressions.

    Args:
        name: Name in expressions.
        classpath: ``package.module.name`` of the function in Python.

    Raises:
        DefinitionError: Name or path is missing, or the path has no module.
    """

    name: str
    classpath: str

    def __attrs_post_init__(self) -> None:
        if not self.name:
            raise DefinitionError("a user-defined function has no 'name'")
        if "." not in self.classpath.strip("."):
            raise DefinitionError(
                f"the 'classpath' of the function {self.name!r} is {self.classpath!r}",
                now="Write package.module.name, an object that @udf has made.",
            )


def _functions(functions: Iterable[PipelineFunction]) -> tuple[PipelineFunction, ...]:
    return tuple(functions)


def _time_zone(value: str) -> str:
    try:
        ZoneInfo(value) if value != TIME_ZONE.default else None
    except (KeyError, ValueError, OSError):
        raise ValueError("expected the name of a time zone, such as Europe/Berlin or UTC") from None
    return value


TIME_ZONE: Final = attrs.evolve(TABLE_TIME_ZONE, key="local-time-zone", parse=_time_zone)
PIPELINE_NAME: Final = attrs.evolve(
    SECTION_NAME,
    doc="Name of the job, and of its folder in the checkpoint directory; by default, the name of the file.",
)
PARALLELISM: Final = Option[int | None](key="parallelism", parse=positive, default=None, doc=job.PARALLELISM.doc)
RUNTIME_MODE: Final = Option[RuntimeMode](
    key=job.RUNTIME_MODE.key,
    parse=enum_member(RuntimeMode),
    default=RuntimeMode.STREAMING,
    doc="Runtime mode: `STREAMING`, or `BATCH` for bounded sources.",
)
ROUTE_MODE: Final = Option[RouteMode](
    key="route-mode",
    parse=enum_member(RouteMode),
    default=RouteMode.ALL_MATCH,
    doc="Route rules that apply to a table: all matching ones, `ALL_MATCH`, or only the first, `FIRST_MATCH`.",
)
SCHEMA_CHANGE_BEHAVIOR: Final = Option[SchemaChangeBehavior](
    key="schema.change.behavior",
    parse=enum_member(SchemaChangeBehavior),
    default=SchemaChangeBehavior.LENIENT,
    doc=(
        "Reaction to new columns and wider types. `exception`: the job fails. `evolve` and `lenient`: the "
        "sink's tables are altered, or the job fails; both differ only in dropped and renamed columns, which "
        "records do not show. `try_evolve`: the sink's tables are altered if possible, and values converted "
        "otherwise. `ignore`: the first schemas are kept, and values converted."
    ),
)
RPC_TIMEOUT: Final = Option[str](
    key="schema-operator.rpc-timeout",
    parse=text,
    default="3 min",
    doc="Timeout of a schema change in Flink CDC. No effect.",
    deprecated_keys=("schema.operator.rpc-timeout",),
)
UID_PREFIX: Final = Option[str | None](
    key="operator.uid.prefix",
    parse=text,
    default=None,
    doc="Prefix of operator uids in Flink CDC. No effect.",
    deprecated_keys=("schema.operator.uid",),
)
COLLECTOR_TOPIC: Final = Option[str](
    key="topic",
    parse=text,
    default="",
    doc="Topic of type `kafka`, on the source's brokers; it must exist or be auto-created.",
)
COLLECTOR_TYPE: Final = Option[str](
    key="type",
    parse=choice("logger", "kafka"),
    default="logger",
    doc="`logger`, or `kafka` for a topic of dead letters.",
)
_NOT_HERE: Final = frozenset({job.PARALLELISM.key, job.JOB_NAME.key, job.RUNTIME_MODE.key})
JOB_KEYS: Final[tuple[Option[Any] | OptionFamily, ...]] = (
    *(option for option in JOB_OPTIONS if option.key not in _NOT_HERE),
    METRIC_OPTIONS[0],
    OptionFamily(prefix=REPORTER_PREFIX, doc="Metric reporters."),
)
"""Settings of all jobs, under Flink's keys."""


@final
@attrs.frozen(kw_only=True)
class PipelineSettings:
    """Settings of a pipeline's job.

    Args:
        dirty_data_collector: Collector of records that cannot be parsed and are ignored.
        functions: User-defined functions for expressions.
        configuration: Further settings under Flink's keys, such as ``execution.checkpointing.dir``.

    The other fields are options, with the same names in a document.

    Raises:
        DefinitionError: A setting is invalid, or two functions have the same name.
        UnsupportedFeatureError: A setting asks for a feature that is not supported.

    Example:
        >>> settings = PipelineSettings(name="orders", configuration={"execution.checkpointing.interval": "10 s"})
        >>> settings.job_settings().checkpoint_interval_ms
        10000
    """

    name: str | None = setting(PIPELINE_NAME)
    parallelism: int | None = setting(PARALLELISM)
    local_time_zone: str = setting(TIME_ZONE)
    runtime_mode: RuntimeMode = setting(RUNTIME_MODE)
    route_mode: RouteMode = setting(ROUTE_MODE)
    schema_change_behavior: SchemaChangeBehavior = setting(SCHEMA_CHANGE_BEHAVIOR)
    dirty_data_collector: DirtyDataCollector = attrs.field(factory=LoggerCollector)
    functions: tuple[PipelineFunction, ...] = attrs.field(default=(), converter=_functions)
    configuration: Mapping[str, str] = attrs.field(default=FrozenMap(), converter=FrozenMap[str, str], repr=redacted)

    def __attrs_post_init__(self) -> None:
        names = [function.name.lower() for function in self.functions]
        if double := next((name for name in names if names.count(name) > 1), None):
            raise DefinitionError(f"there are two user-defined functions {double!r}")
        self.job_settings()

    def job_settings(self) -> JobSettings:
        """Return the settings of the job, as for a DataStream or SQL job."""
        configuration = Configuration()
        for key, value in self.configuration.items():
            configuration.set_string(key, value)
        if self.parallelism is not None:
            configuration.set(job.PARALLELISM, self.parallelism)
        return job_settings(configuration, self.name)


PIPELINE_OPTIONS: Final = (*options_of(PipelineSettings), RPC_TIMEOUT, UID_PREFIX)
"""Options of the section ``pipeline`` other than the settings of all jobs."""
