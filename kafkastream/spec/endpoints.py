"""Base classes of sources and sinks, for annotations and ``isinstance``."""

from __future__ import annotations

__all__ = ["Sink", "SinkFunction", "Source", "SourceFunction"]


class Source:
    """Where elements come from: what ``env.from_source`` takes."""

    __slots__ = ()


class Sink:
    """Where elements go: what ``stream.sink_to`` takes."""

    __slots__ = ()


class SourceFunction:
    """A source of Flink 1.x: what ``env.add_source`` takes."""

    __slots__ = ()


class SinkFunction:
    """A sink of Flink 1.x: what ``stream.add_sink`` takes."""

    __slots__ = ()
