"""Settings of a ``FileSink``: encoder, directories, when part files end, and how they are named."""

from __future__ import annotations

import datetime
from typing import ClassVar, Final, final

import attrs
from typing_extensions import Self

from kafkastream.errors import DefinitionError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.date_pattern import DatePattern, zone_of
from kafkastream.model.common.stand_ins import Refused
from kafkastream.model.common.time import machine_time_zone
from kafkastream.model.formats.charsets import check_charset

__all__ = [
    "BucketAssigner",
    "DefaultRollingPolicy",
    "Encoder",
    "OnCheckpointRollingPolicy",
    "OutputFileConfig",
    "RollingPolicy",
]

_PART_SIZE: Final = 128 * 1024 * 1024
_MINUTE_MS: Final = 60_000


@final
@checked_methods
@attrs.frozen
class Encoder:
    """Writer of each element's text and a line feed: the argument of ``FileSink.for_row_format``.

    Example:
        >>> Encoder.simple_string_encoder().charset_name
        'UTF-8'
    """

    engine_module: ClassVar[str] = "kafkastream.spark.sql.files.part_formats"
    charset_name: str

    _j_encoder = Refused()

    @staticmethod
    def simple_string_encoder(charset_name: str = "UTF-8") -> Encoder:
        """Write an element's text as Flink shows it, in lines.

        Args:
            charset_name: Java's name of the charset.

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
            format_str: A pattern for Java's ``DateTimeFormatter``.
            timezone_id: Region, or offset from UTC such as ``GMT-08:00``; None for this machine's time zone.

        Raises:
            DefinitionError: There is no such zone, or the pattern has a letter that is not supported.
        """
        zone = machine_time_zone() if timezone_id is None else timezone_id
        zone_of(zone)
        return BucketAssigner(DatePattern(format_str), zone)

    dateTimeBucketAssigner = date_time_bucket_assigner

    def bucket(self, now: datetime.datetime) -> str:
        """Return the directory at a time.

        Args:
            now: Time at which elements are written.

        Returns:
            The path below the sink's directory; empty for the directory itself.
        """
        return "" if self.pattern is None else self.pattern.format(now.astimezone(zone_of(self.timezone_id)))


@checked_methods
@attrs.frozen
class RollingPolicy:
    """Policy that decides when a part file ends and the next one begins.

    Differs from Flink: each part ends with its micro-batch, whatever the policy; a size may end it before.
    """

    _j_object = Refused()
    get_java_object = Refused()

    @property
    def most_bytes(self) -> int | None:
        """Size in bytes above which a part file ends before the next element; None for no limit."""
        return None

    @staticmethod
    def default_rolling_policy(
        part_size: int = _PART_SIZE, rollover_interval: int = _MINUTE_MS, inactivity_interval: int = _MINUTE_MS
    ) -> DefaultRollingPolicy:
        """End parts by their size.

        Args:
            part_size: Size in bytes; a part file that exceeds it ends before the next element.
            rollover_interval: Maximum time that a part is open, in ms; no effect: parts end with their micro-batch.
            inactivity_interval: Maximum time that a part is open without writes, in ms; no effect here.

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
        """Size in bytes above which a part file ends before the next element."""
        return self.part_size


@final
@attrs.frozen
class OnCheckpointRollingPolicy(RollingPolicy):
    """Ends parts with their micro-batch only."""


@final
@checked_methods
@attrs.frozen
class OutputFileConfig:
    """Prefix and suffix of the names of part files.

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
            """Set the prefix of file names; ``part`` by default."""
            self.part_prefix = prefix
            return self

        withPartPrefix = with_part_prefix

        def with_part_suffix(self, suffix: str) -> Self:
            """Set the suffix of file names; empty by default."""
            self.part_suffix = suffix
            return self

        withPartSuffix = with_part_suffix

        def build(self) -> OutputFileConfig:
            """Make it.

            Raises:
                DefinitionError: One of them has a slash.
            """
            return OutputFileConfig(self.part_prefix, self.part_suffix)
