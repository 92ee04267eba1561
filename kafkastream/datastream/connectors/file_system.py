"""Files, at PyFlink's path: sources and sinks of lines; bulk formats and compaction can be imported, and are refused when they are used."""

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
from kafkastream.spec.file_source import (
    FileEnumeratorProvider,
    FileSource,
    FileSourceBuilder,
    FileSplitAssignerProvider,
    StreamFormat,
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


class BulkFormat(StandIn, instead=FILES):
    """Reads a file in batches of records."""


class FileCompactStrategy(StandIn, instead=_NO_COMPACTION):
    """Decides when files are compacted."""


class FileCompactor(StandIn, instead=_NO_COMPACTION):
    """Compacts files."""
