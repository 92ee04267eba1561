"""What a source or sink of your own is made of, in the words of Flink's Source API and Sink V2.

``env.from_source`` takes the source, ``stream.sink_to`` the sink. Formats of records are ``DeserializationSchema`` and
``SerializationSchema`` (``kafkastream.common``); metrics are registered with ``RuntimeContext.get_metrics_group``.
"""

from __future__ import annotations

from kafkastream.model.connectors.dead_letter_topics import DeadLetter, DeadLetterSchema, SourceRecord
from kafkastream.model.connectors.kafka_source import Boundedness
from kafkastream.model.connectors.sink_writer import (
    Committer,
    CommitterInitContext,
    CommittingSinkWriter,
    RetriableError,
    Sink,
    SinkWriter,
    SupportsCommitter,
    WriteContext,
)
from kafkastream.model.connectors.split_source import (
    Source,
    SourceElement,
    SourceReader,
    SourceSplit,
    SplitEnumerator,
)

__all__ = [
    "Boundedness",
    "Committer",
    "CommitterInitContext",
    "CommittingSinkWriter",
    "DeadLetter",
    "DeadLetterSchema",
    "RetriableError",
    "Sink",
    "SinkWriter",
    "Source",
    "SourceElement",
    "SourceReader",
    "SourceRecord",
    "SourceSplit",
    "SplitEnumerator",
    "SupportsCommitter",
    "WriteContext",
]
