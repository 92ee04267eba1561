"""Base classes of sources and sinks, for annotations and ``isinstance``."""

from __future__ import annotations

from kafkastream.model.common.stand_ins import Refused

__all__ = ["Sink", "SinkFunction", "Source", "SourceFunction"]


class Source:
    """Base class of sources: the argument of ``env.from_source``."""

    __slots__ = ()

    _j_function = Refused()
    get_java_function = Refused()


class Sink:
    """Base class of sinks: the argument of ``stream.sink_to``."""

    __slots__ = ()

    _j_function = Refused()
    get_java_function = Refused()
    get_transformer = Refused()

    @property
    def target_text(self) -> str:
        """Return the target as the message at a job's start shows it, without secrets."""
        return type(self).__name__.removesuffix("Sink")


class SourceFunction:
    """Base class of Flink 1.x sources: the argument of ``env.add_source``."""

    __slots__ = ()

    _j_function = Refused()
    get_java_function = Refused()


class SinkFunction:
    """Base class of Flink 1.x sinks: the argument of ``stream.add_sink``."""

    __slots__ = ()

    _j_function = Refused()
    get_java_function = Refused()
