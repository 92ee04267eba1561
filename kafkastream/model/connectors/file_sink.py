"""A sink of files in directories, with Flink's settings."""

from __future__ import annotations

import datetime
import warnings
from typing import Any, ClassVar, Final, NoReturn, final

import attrs
from typing_extensions import Self

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.date_pattern import DatePattern, zone_of
from kafkastream.model.common.endpoints import Sink, SinkFunction
from kafkastream.model.common.stand_ins import Refused
from kafkastream.model.common.time import machine_time_zone
from kafkastream.model.connectors.file_formats import BulkWriterFactory
from kafkastream.model.connectors.file_path import local_path
from kafkastream.model.formats.charsets import check_charset

__all__ = [
    "BucketAssigner",
    "DefaultRollingPolicy",
    "Encoder",
    "FileSink",
    "OnCheckpointRollingPolicy",
    "OutputFileConfig",
    "RollingPolicy",
    "StreamingFileSink",
]

_PART_SIZE: Final = 128 * 1024 * 1024
_MINUTE_MS: Final = 60_000
_NO_COMPACTION: Final = "Leave it out: a longer checkpointing interval (env.enable_checkpointing) makes larger files."


@final
@checked_methods
@attrs.frozen
class Encoder:
    """Text of each element, and a line feed: what ``FileSink.for_row_format`` takes.

    Example:
        >>> Encoder.simple_string_encoder().charset_name
        'UTF-8'
    """

    charset_name: str

    _j_encoder = Refused()

    @staticmethod
    def simple_string_encoder(charset_name: str = "UTF-8") -> Encoder:
        """Write an element's text as Flink shows it, in lines.

        Args:
            charset_name: By one of Java's names.

        Raises:
            DefinitionError: There is no such charset.
        """
        check_charset(charset_name, "Encoder.simple_string_encoder")
        return Encoder(charset_name)

    simpleStringEncoder = simple_string_encoder


@final
@checked_methods
@attrs.frozen
class BucketAssigner:
    """Directory below the base path that an element is written to.

    Example:
        >>> noon = datetime.datetime(2026, 3, 1, 12, tzinfo=datetime.timezone.utc)
        >>> BucketAssigner.date_time_bucket_assigner("yyyy/MM/dd--HH", "GMT-08:00").bucket(noon)
        '2026/03/01--04'
        >>> BucketAssigner.base_path_bucket_assigner().bucket(noon)
        ''
    """

    pattern: DatePattern | None = None
    timezone_id: str = "UTC"

    _j_object = Refused()
    get_java_object = Refused()

    @staticmethod
    def base_path_bucket_assigner() -> BucketAssigner:
        """Write all files to the base path itself."""
        return BucketAssigner()

    basePathBucketAssigner = base_path_bucket_assigner

    @staticmethod
    def date_time_bucket_assigner(format_str: str = "yyyy-MM-dd--HH", timezone_id: str | None = None) -> BucketAssigner:
        """Name directories by the time at which elements are written.

        Args:
            format_str: A pattern of Java's ``DateTimeFormatter``.
            timezone_id: A region, or a distance from UTC such as ``GMT-08:00``; None is this machine's.

        Raises:
            DefinitionError: There is no such zone, or the pattern has a letter that is not supported.
        """
        zone = machine_time_zone() if timezone_id is None else timezone_id
        zone_of(zone)
        return BucketAssigner(DatePattern(format_str), zone)

    dateTimeBucketAssigner = date_time_bucket_assigner

    def bucket(self, now: datetime.datetime) -> str:
        """Return the directory at a time."""
        return "" if self.pattern is None else self.pattern.format(now.astimezone(zone_of(self.timezone_id)))


@checked_methods
@attrs.frozen
class RollingPolicy:
    """When a part file ends and the next one begins.

    Differs from Flink: each part ends with its micro-batch, whatever the policy; a size may end it before.
    """

    _j_object = Refused()
    get_java_object = Refused()

    @property
    def most_bytes(self) -> int | None:
        """Size that a part may have before the next element begins a new one; None for any."""
        return None

    @staticmethod
    def default_rolling_policy(
        part_size: int = _PART_SIZE, rollover_interval: int = _MINUTE_MS, inactivity_interval: int = _MINUTE_MS
    ) -> DefaultRollingPolicy:
        """End parts by their size.

        Args:
            part_size: In bytes; the next element begins a new part when it is exceeded.
            rollover_interval: The longest time that a part is open, in ms; no micro-batch has it open for longer.
            inactivity_interval: The same for a part that nothing is written to.

        Raises:
            DefinitionError: One of them is not greater than 0.
        """
        return DefaultRollingPolicy(part_size, rollover_interval, inactivity_interval)

    defaultRollingPolicy = default_rolling_policy

    @staticmethod
    def on_checkpoint_rolling_policy() -> OnCheckpointRollingPolicy:
        """End parts with their micro-batch only."""
        return OnCheckpointRollingPolicy()

    onCheckpointRollingPolicy = on_checkpoint_rolling_policy


@final
@attrs.frozen
class DefaultRollingPolicy(RollingPolicy):
    """Ends parts by their size, and with their micro-batch.

    Example:
        >>> RollingPolicy.default_rolling_policy(part_size=1024).most_bytes
        1024
    """

    part_size: int = _PART_SIZE
    rollover_interval: int = _MINUTE_MS
    inactivity_interval: int = _MINUTE_MS

    def __attrs_post_init__(self) -> None:
        if min(self.part_size, self.rollover_interval, self.inactivity_interval) <= 0:
            raise DefinitionError("a size or an interval of a rolling policy is not greater than 0", where=repr(self))

    @property
    def most_bytes(self) -> int | None:
        """Size that a part may have before the next element begins a new one."""
        return self.part_size


@final
@attrs.frozen
class OnCheckpointRollingPolicy(RollingPolicy):
    """Ends parts with their micro-batch only."""


@final
@checked_methods
@attrs.frozen
class OutputFileConfig:
    """What the names of part files begin and end with.

    Raises:
        DefinitionError: One of them has a slash.

    Example:
        >>> OutputFileConfig.builder().with_part_prefix("words").with_part_suffix(".txt").build().get_part_suffix()
        '.txt'
    """

    part_prefix: str = "part"
    part_suffix: str = ""

    def __attrs_post_init__(self) -> None:
        if "/" in self.part_prefix + self.part_suffix:
            raise DefinitionError("a file's name has no slash", where=repr(self), now="Directories: the base path.")

    _j_output_file_config = Refused()
    get_java_object = Refused()

    @staticmethod
    def builder() -> OutputFileConfig.OutputFileConfigBuilder:
        """Begin to build."""
        return OutputFileConfig.OutputFileConfigBuilder()

    def get_part_prefix(self) -> str:
        """Return what names begin with."""
        return self.part_prefix

    getPartPrefix = get_part_prefix

    def get_part_suffix(self) -> str:
        """Return what names end with."""
        return self.part_suffix

    getPartSuffix = get_part_suffix

    @final
    @checked_methods
    class OutputFileConfigBuilder:
        """Builds an ``OutputFileConfig``."""

        def __init__(self) -> None:
            self.part_prefix = "part"
            self.part_suffix = ""

        def with_part_prefix(self, prefix: str) -> Self:
            """Set what names begin with."""
            self.part_prefix = prefix
            return self

        withPartPrefix = with_part_prefix

        def with_part_suffix(self, suffix: str) -> Self:
            """Set what names end with."""
            self.part_suffix = suffix
            return self

        withPartSuffix = with_part_suffix

        def build(self) -> OutputFileConfig:
            """Make it.

            Raises:
                DefinitionError: One of them has a slash.
            """
            return OutputFileConfig(self.part_prefix, self.part_suffix)


@checked_methods
class _Builder:
    """Settings of a sink of files."""

    def __init__(self, base_path: str, encoder: Encoder | BulkWriterFactory) -> None:
        policy = DefaultRollingPolicy() if isinstance(encoder, Encoder) else OnCheckpointRollingPolicy()
        self._sink = FileSink(base_path=base_path, encoder=encoder, rolling_policy=policy)

    def with_bucket_check_interval(self, interval: int) -> Self:
        """Set how often Flink looks at open parts, in ms; differs from Flink: it has no effect."""
        return self

    withBucketCheckInterval = with_bucket_check_interval

    def with_bucket_assigner(self, bucket_assigner: BucketAssigner) -> Self:
        """Set the directories below the base path; by default one for each hour."""
        return self._with(bucket_assigner=bucket_assigner)

    withBucketAssigner = with_bucket_assigner

    def with_output_file_config(self, output_file_config: OutputFileConfig) -> Self:
        """Set what the names of files begin and end with."""
        return self._with(output_file_config=output_file_config)

    withOutputFileConfig = with_output_file_config

    def _with(self, **settings: Any) -> Self:
        self._sink = attrs.evolve(self._sink, **settings)
        return self


@final
@checked_methods
@attrs.frozen(kw_only=True)
class FileSink(Sink):
    """Writes elements to part files, exactly once; for ``stream.sink_to``.

    Same as in Flink: a file is seen only when it is complete; before, its name begins with a dot.
    Differs from Flink: each micro-batch ends its files, and a part never spans two.

    Example:
        >>> sink = FileSink.for_row_format("/data/words", Encoder.simple_string_encoder()).build()
        >>> sink.output_file_config.get_part_prefix()
        'part'
    """

    engine_module: ClassVar[str] = "kafkastream.spark.sql.files.file_writer"
    base_path: str
    encoder: Encoder | BulkWriterFactory
    rolling_policy: RollingPolicy = attrs.field(factory=DefaultRollingPolicy)
    bucket_assigner: BucketAssigner = attrs.field(factory=BucketAssigner.date_time_bucket_assigner)
    output_file_config: OutputFileConfig = attrs.field(factory=OutputFileConfig)
    success_file: str | None = attrs.field(default=None, repr=False)

    @property
    def target_text(self) -> str:
        """Return the directory."""
        return f"files in {self.base_path}"

    @property
    def deduplicates_batches(self) -> bool:
        """True: the names of part files tell the micro-batch."""
        return True

    @property
    def commits_with_checkpoint(self) -> bool:
        """True: files appear when their micro-batch is complete."""
        return True

    @staticmethod
    def for_row_format(base_path: str, encoder: Encoder) -> FileSink.RowFormatBuilder:
        """Begin to build a sink that writes line by line.

        Args:
            base_path: A directory, as a path or a ``file:`` URL, that the driver and all workers share.
            encoder: What makes text of elements.

        Raises:
            UnsupportedFeatureError: The path is of another file system.
        """
        return FileSink.RowFormatBuilder(local_path(base_path, "FileSink.for_row_format"), encoder)

    forRowFormat = for_row_format

    @staticmethod
    def for_bulk_format(base_path: str, writer_factory: BulkWriterFactory) -> FileSink.BulkFormatBuilder:
        """Begin to build a sink whose files are each written as a whole.

        Args:
            base_path: As with ``for_row_format``.
            writer_factory: What writes them: of ``ParquetBulkWriters``, ``CsvBulkWriters`` or ``AvroBulkWriters``.

        Raises:
            UnsupportedFeatureError: The path is of another file system.
        """
        return FileSink.BulkFormatBuilder(local_path(base_path, "FileSink.for_bulk_format"), writer_factory)

    forBulkFormat = for_bulk_format

    @checked_methods
    class BaseBuilder(_Builder):
        """Settings of every ``FileSink``."""

        def with_rolling_policy(self, rolling_policy: OnCheckpointRollingPolicy) -> Self:
            """Set when a part ends; formats that write a file as a whole end it with its micro-batch."""
            return self

        def enable_compact(self, strategy: object, compactor: object) -> NoReturn:
            """Refused: files are not compacted.

            Raises:
                UnsupportedFeatureError: Always.
            """
            raise UnsupportedFeatureError("files are not compacted", where="enable_compact", now=_NO_COMPACTION)

        enableCompact = enable_compact

        def disable_compact(self) -> Self:
            """Leave files as they are, which is the default."""
            return self

        disableCompact = disable_compact

        def build(self) -> FileSink:
            """Make the sink."""
            return self._sink

    @final
    @checked_methods
    class RowFormatBuilder(BaseBuilder):
        """Builds a ``FileSink`` that writes line by line."""

        def with_rolling_policy(self, rolling_policy: RollingPolicy) -> Self:
            """Set when a part ends; by default above 128 MB."""
            return self._with(rolling_policy=rolling_policy)

        withRollingPolicy = with_rolling_policy

    @final
    @checked_methods
    class BulkFormatBuilder(BaseBuilder):
        """Builds a ``FileSink`` whose files are each written as a whole."""

        def with_rolling_policy(self, rolling_policy: OnCheckpointRollingPolicy) -> Self:
            """Set when a part ends: with its micro-batch, in every case."""
            return self

        withRollingPolicy = with_rolling_policy


@final
@checked_methods
class StreamingFileSink(SinkFunction):
    """Writes elements to part files, exactly once; of Flink 1.x, for ``stream.add_sink``."""

    def __init__(self, sink: FileSink) -> None:
        warnings.warn("Deprecated in 1.15. Use FileSink instead.", DeprecationWarning, stacklevel=4)
        self._sink = sink

    @staticmethod
    def for_row_format(base_path: str, encoder: Encoder) -> StreamingFileSink.DefaultRowFormatBuilder:
        """Begin to build a sink that writes line by line; arguments and errors as of ``FileSink.for_row_format``."""
        path = local_path(base_path, "StreamingFileSink.for_row_format")
        return StreamingFileSink.DefaultRowFormatBuilder(path, encoder)

    forRowFormat = for_row_format

    @staticmethod
    def for_bulk_format(
        base_path: str, writer_factory: BulkWriterFactory
    ) -> StreamingFileSink.DefaultBulkFormatBuilder:
        """Begin to build a sink whose files are each written as a whole; as of ``FileSink.for_bulk_format``."""
        path = local_path(base_path, "StreamingFileSink.for_bulk_format")
        return StreamingFileSink.DefaultBulkFormatBuilder(path, writer_factory)

    forBulkFormat = for_bulk_format

    def to_sink(self) -> FileSink:
        """Return the ``FileSink`` that writes the same."""
        return self._sink

    @checked_methods
    class BaseBuilder(_Builder):
        """Settings of every ``StreamingFileSink``."""

        def with_rolling_policy(self, policy: OnCheckpointRollingPolicy) -> Self:
            """Set when a part ends; formats that write a file as a whole end it with its micro-batch."""
            return self

        def build(self) -> StreamingFileSink:
            """Make the sink."""
            return StreamingFileSink(self._sink)

    @final
    @checked_methods
    class DefaultRowFormatBuilder(BaseBuilder):
        """Builds a ``StreamingFileSink`` that writes line by line."""

        def with_rolling_policy(self, policy: RollingPolicy) -> Self:
            """Set when a part ends; by default above 128 MB."""
            return self._with(rolling_policy=policy)

        withRollingPolicy = with_rolling_policy

    @final
    @checked_methods
    class DefaultBulkFormatBuilder(BaseBuilder):
        """Builds a ``StreamingFileSink`` whose files are each written as a whole."""

        def with_rolling_policy(self, policy: OnCheckpointRollingPolicy) -> Self:
            """Set when a part ends: with its micro-batch, in every case."""
            return self

        withRollingPolicy = with_rolling_policy
