"""Base classes of sources and sinks, for annotations and ``isinstance``."""

from __future__ import annotations

from kafkastream.model.common.stand_ins import Refused

__all__ = ["Sink", "SinkFunction", "Source", "SourceFunction"]


class Source:
    """Where elements come from: what ``env.from_source`` takes."""

    __slots__ = ()

    _j_function = Refused()
    get_java_function = Refused()


class Sink:
    """Where elements go: what ``stream.sink_to`` takes."""

    __slots__ = ()

    _j_function = Refused()
    get_java_function = Refused()
    get_transformer = Refused()

    @property
    def target_text(self) -> str:
        """Where it writes to, as the line has it that a job tells when it starts; never with a secret."""
        return type(self).__name__.removesuffix("Sink")


class SourceFunction:
    """A source of Flink 1.x: what ``env.add_source`` takes."""

    __slots__ = ()

    _j_function = Refused()
    get_java_function = Refused()


class SinkFunction:
    """A sink of Flink 1.x: what ``stream.add_sink`` takes."""

    __slots__ = ()

    _j_function = Refused()
    get_java_function = Refused()
