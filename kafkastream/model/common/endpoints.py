"""Base classes of sources and sinks: the interface of the engine, and the types for annotations and ``isinstance``."""

from __future__ import annotations

from typing import Any, ClassVar, Generic

from typing_extensions import TypeVar

from kafkastream.model.common.stand_ins import Refused
from kafkastream.model.common.types import TypeInformation

__all__ = ["Sink", "SinkFunction", "Source", "SourceFunction"]

IN_contra = TypeVar("IN_contra", contravariant=True, default=Any)
OUT_co = TypeVar("OUT_co", covariant=True, default=Any)


class Source(Generic[OUT_co]):
    """Base class of sources for ``env.from_source``: a value that describes what to read.

    A source of your own inherits from ``kafkastream.connect.Source``, which has splits and offsets, or gives its
    ``elements``, which are read once at each start.
    """

    __slots__ = ()

    _j_function = Refused()
    get_java_function = Refused()

    @property
    def elements(self) -> Any:
        """A tuple, a ``range``, or ``FileContents`` that tasks open; None for a source that the engine reads itself."""
        return None

    def get_produced_type(self) -> TypeInformation[OUT_co] | None:
        """Return the type of the elements; None if it is not known."""
        raise NotImplementedError


class Sink(Generic[IN_contra]):
    """Base class of sinks for ``stream.sink_to``: a frozen value that describes what to write, and where.

    A sink of your own inherits from ``kafkastream.connect.Sink``, which has a writer.

    Attributes:
        engine_module: Name of the module that registers the engine's operator with ``@sink_operator.register``.
            The engine imports it when it compiles a job with such a sink, so that the value itself needs no Spark.
    """

    __slots__ = ()

    engine_module: ClassVar[str] = ""

    _j_function = Refused()
    get_java_function = Refused()
    get_transformer = Refused()

    @property
    def target_text(self) -> str:
        """Target of the sink as the message at a job's start shows it, without secrets."""
        return type(self).__name__.removesuffix("Sink")

    @property
    def deduplicates_batches(self) -> bool:
        """True if the sink recognizes a micro-batch that is written again, by a name that the checkpoint keeps."""
        return False

    @property
    def guarantee(self) -> str:
        """Name of the delivery guarantee, which holds from one start to the next with a checkpoint directory; else empty."""
        return "EXACTLY_ONCE" if self.deduplicates_batches else ""

    @property
    def commits_with_checkpoint(self) -> bool:
        """True if output becomes visible as a whole micro-batch, which then is as long as the checkpoint interval."""
        return False

    @property
    def goes_through_driver(self) -> bool:
        """True if elements are sent to the driver, for which micro-batches are kept small."""
        return False

    @property
    def keeps_records(self) -> bool:
        """True if the sink needs the source records of elements that it cannot write, for its dead letters."""
        return False


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
