"""File source and file sink, at PyFlink's path; compaction is importable, and refused when it is used."""

from __future__ import annotations

from typing import Final

from kafkastream.model.common.endpoints import SinkFunction
from kafkastream.model.common.stand_ins import StandIn
from kafkastream.model.common.time import Duration
from kafkastream.model.connectors.file_formats import BulkFormat, StreamFormat
from kafkastream.model.connectors.file_sink import FileSink, StreamingFileSink
from kafkastream.model.connectors.file_sink_settings import (
    BucketAssigner,
    DefaultRollingPolicy,
    Encoder,
    OnCheckpointRollingPolicy,
    OutputFileConfig,
    RollingPolicy,
)
from kafkastream.model.connectors.file_source import (
    FileEnumeratorProvider,
    FileSource,
    FileSourceBuilder,
    FileSplitAssignerProvider,
)

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


class FileCompactStrategy(StandIn, instead=_NO_COMPACTION):
    """Strategy that decides when part files are compacted."""


class FileCompactor(StandIn, instead=_NO_COMPACTION):
    """Compactor of part files."""
