"""A sink of files in directories, with Flink's settings."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Final, NoReturn, final

import attrs
from typing_extensions import Self

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.endpoints import Sink, SinkFunction
from kafkastream.model.connectors.file_formats import BulkWriterFactory
from kafkastream.model.connectors.file_path import local_path
from kafkastream.model.connectors.file_sink_settings import (
    BucketAssigner,
    DefaultRollingPolicy,
    Encoder,
    OnCheckpointRollingPolicy,
    OutputFileConfig,
    RollingPolicy,
)

__all__ = ["FileSink", "StreamingFileSink"]

_NO_COMPACTION: Final = "Leave it out: a longer checkpointing interval (env.enable_checkpointing) makes larger files."


@checked_methods
class _Builder:
    """Settings of a sink of files."""

    def __init__(self, base_path: str, encoder: Encoder | BulkWriterFactory) -> None:
        policy = DefaultRollingPolicy() if isinstance(encoder, Encoder) else OnCheckpointRollingPolicy()
        self._sink = FileSink(base_path=base_path, encoder=encoder, rolling_policy=policy)

    def with_bucket_check_interval(self, interval: int) -> Self:
        """Set the interval at which Flink checks open part files, in ms; differs from Flink: it has no effect."""
        return self

    withBucketCheckInterval = with_bucket_check_interval

    def with_bucket_assigner(self, bucket_assigner: BucketAssigner) -> Self:
        """Set the directories below the base path; by default one for each hour.

        Args:
            bucket_assigner: Assigner from one of the factory methods of ``BucketAssigner``.
        """
        return self._with(bucket_assigner=bucket_assigner)

    withBucketAssigner = with_bucket_assigner

    def with_output_file_config(self, output_file_config: OutputFileConfig) -> Self:
        """Set the prefix and suffix of file names.

        Args:
            output_file_config: Prefix and suffix, from ``OutputFileConfig.builder()``.
        """
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

    As in Flink, a file is visible only when it is complete; before, its name begins with a dot.
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
        """Always true: a repeated micro-batch is skipped, since the names of part files contain its number."""
        return True

    @property
    def commits_with_checkpoint(self) -> bool:
        """Always true: output becomes visible once per micro-batch."""
        return True

    @staticmethod
    def for_row_format(base_path: str, encoder: Encoder) -> FileSink.RowFormatBuilder:
        """Begin to build a sink that writes line by line.

        Args:
            base_path: A directory, as a path or a ``file:`` URL, that the driver and all workers share.
            encoder: Encoder of elements to text, from ``Encoder.simple_string_encoder``.

        Raises:
            UnsupportedFeatureError: The path is of another file system.
        """
        return FileSink.RowFormatBuilder(local_path(base_path, "FileSink.for_row_format"), encoder)

    forRowFormat = for_row_format

    @staticmethod
    def for_bulk_format(base_path: str, writer_factory: BulkWriterFactory) -> FileSink.BulkFormatBuilder:
        """Begin to build a sink whose files are each written as a whole.

        Args:
            base_path: As in ``for_row_format``.
            writer_factory: Writer of files, from ``ParquetBulkWriters``, ``CsvBulkWriters`` or ``AvroBulkWriters``.

        Raises:
            UnsupportedFeatureError: The path is of another file system.
        """
        return FileSink.BulkFormatBuilder(local_path(base_path, "FileSink.for_bulk_format"), writer_factory)

    forBulkFormat = for_bulk_format

    @checked_methods
    class BaseBuilder(_Builder):
        """Settings of every ``FileSink``."""

        def with_rolling_policy(self, rolling_policy: OnCheckpointRollingPolicy) -> Self:
            """Set the rolling policy: formats that write a file as a whole end a part with its micro-batch."""
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
            """Set the rolling policy, which decides when a part ends; by default above 128 MB."""
            return self._with(rolling_policy=rolling_policy)

        withRollingPolicy = with_rolling_policy

    @final
    @checked_methods
    class BulkFormatBuilder(BaseBuilder):
        """Builds a ``FileSink`` whose files are each written as a whole."""

        def with_rolling_policy(self, rolling_policy: OnCheckpointRollingPolicy) -> Self:
            """Set the rolling policy: a part ends with its micro-batch, in every case."""
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
        """Begin to build a sink that writes line by line.

        Args:
            base_path: A directory, as a path or a ``file:`` URL, that the driver and all workers share.
            encoder: Encoder of elements to text, from ``Encoder.simple_string_encoder``.

        Raises:
            UnsupportedFeatureError: The path is of another file system.
        """
        path = local_path(base_path, "StreamingFileSink.for_row_format")
        return StreamingFileSink.DefaultRowFormatBuilder(path, encoder)

    forRowFormat = for_row_format

    @staticmethod
    def for_bulk_format(
        base_path: str, writer_factory: BulkWriterFactory
    ) -> StreamingFileSink.DefaultBulkFormatBuilder:
        """Begin to build a sink whose files are each written as a whole.

        Args:
            base_path: As in ``for_row_format``.
            writer_factory: Writer of files, from ``ParquetBulkWriters``, ``CsvBulkWriters`` or ``AvroBulkWriters``.

        Raises:
            UnsupportedFeatureError: The path is of another file system.
        """
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
            """Set the policy: formats that write a file as a whole end a part with its micro-batch."""
            return self

        def build(self) -> StreamingFileSink:
            """Make the sink."""
            return StreamingFileSink(self._sink)

    @final
    @checked_methods
    class DefaultRowFormatBuilder(BaseBuilder):
        """Builds a ``StreamingFileSink`` that writes line by line."""

        def with_rolling_policy(self, policy: RollingPolicy) -> Self:
            """Set the policy that decides when a part ends; by default above 128 MB."""
            return self._with(rolling_policy=policy)

        withRollingPolicy = with_rolling_policy

    @final
    @checked_methods
    class DefaultBulkFormatBuilder(BaseBuilder):
        """Builds a ``StreamingFileSink`` whose files are each written as a whole."""

        def with_rolling_policy(self, policy: OnCheckpointRollingPolicy) -> Self:
            """Set the policy: a part ends with its micro-batch, in every case."""
            return self

        withRollingPolicy = with_rolling_policy
