"""Files, at PyFlink's path: its classes can be imported, and are refused when they are used."""

from __future__ import annotations

from kafkastream.common.serialization import Encoder
from kafkastream.spec.endpoints import SinkFunction
from kafkastream.spec.stand_in import FILES, StandIn
from kafkastream.spec.time import Duration

__all__ = [
    "BucketAssigner",
    "BulkFormat",
    "DefaultRollingPolicy",
    "Duration",
    "Encoder",
    "FileCompactStrategy",
    "FileCompactor",
    "FileEnumeratorProvider",
    "FileSink",
    "FileSource",
    "FileSourceBuilder",
    "FileSplitAssignerProvider",
    "OnCheckpointRollingPolicy",
    "OutputFileConfig",
    "RollingPolicy",
    "SinkFunction",
    "StreamFormat",
    "StreamingFileSink",
]


class FileSource(StandIn, instead=FILES):
    """Reads files."""


class FileSourceBuilder(StandIn, instead=FILES):
    """Builds a ``FileSource``."""


class FileSink(StandIn, instead=FILES):
    """Writes files."""


class StreamingFileSink(StandIn, instead=FILES):
    """Writes files; of Flink 1.x."""


class StreamFormat(StandIn, instead=FILES):
    """Reads a file as a stream of records."""


class BulkFormat(StandIn, instead=FILES):
    """Reads a file in batches of records."""


class FileEnumeratorProvider(StandIn, instead=FILES):
    """Finds files."""


class FileSplitAssignerProvider(StandIn, instead=FILES):
    """Hands out files to readers."""


class BucketAssigner(StandIn, instead=FILES):
    """Chooses the directory of an element."""


class RollingPolicy(StandIn, instead=FILES):
    """Decides when a file is finished."""


class DefaultRollingPolicy(StandIn, instead=FILES):
    """Finishes files by size and age."""


class OnCheckpointRollingPolicy(StandIn, instead=FILES):
    """Finishes files at each checkpoint."""


class OutputFileConfig(StandIn, instead=FILES):
    """Names files."""


class FileCompactStrategy(StandIn, instead=FILES):
    """Decides when files are compacted."""


class FileCompactor(StandIn, instead=FILES):
    """Compacts files."""
