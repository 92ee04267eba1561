"""Files, at PyFlink's path: sinks of lines; what reads files can be imported, and is refused when it is used."""

from __future__ import annotations

from typing import Final

from kafkastream.spec.endpoints import SinkFunction
from kafkastream.spec.file_sink import (
    BucketAssigner,
    DefaultRollingPolicy,
    Encoder,
    FileSink,
    OnCheckpointRollingPolicy,
    OutputFileConfig,
    RollingPolicy,
    StreamingFileSink,
)
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

_NO_COMPACTION: Final = "Files are not compacted. Leave it out: a longer checkpointing interval (env.enable_checkpointing) makes larger files."


class FileSource(StandIn, instead=FILES):
    """Reads files."""


class FileSourceBuilder(StandIn, instead=FILES):
    """Builds a ``FileSource``."""


class StreamFormat(StandIn, instead=FILES):
    """Reads a file as a stream of records."""


class BulkFormat(StandIn, instead=FILES):
    """Reads a file in batches of records."""


class FileEnumeratorProvider(StandIn, instead=FILES):
    """Finds files."""


class FileSplitAssignerProvider(StandIn, instead=FILES):
    """Hands out files to readers."""


class FileCompactStrategy(StandIn, instead=_NO_COMPACTION):
    """Decides when files are compacted."""


class FileCompactor(StandIn, instead=_NO_COMPACTION):
    """Compacts files."""
