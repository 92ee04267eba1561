"""The value: what the user means, checked when it is made; neither Spark nor a client is imported."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, final

import attrs

from kafkastream.datastream.connectors import Sink
from kafkastream.errors import DefinitionError

__all__ = ["JsonLineSink"]


@final
@attrs.frozen
class JsonLineSink(Sink[Any]):
    """Writes each element as a line of JSON, exactly once: each task of a micro-batch writes one file.

    Args:
        directory: Directory that the driver and all workers share.

    Raises:
        DefinitionError: The directory is not an absolute path.
    """

    engine_module: ClassVar[str] = "tests.toy_sink.line_writer"
    directory: str

    def __attrs_post_init__(self) -> None:
        if not Path(self.directory).is_absolute():
            raise DefinitionError(f"'{self.directory}' is not an absolute path", where="JsonLineSink")

    @property
    def target_text(self) -> str:
        """Return the directory."""
        return f"lines in {self.directory}"

    @property
    def deduplicates_batches(self) -> bool:
        """True: a micro-batch that is run again writes files of the same names."""
        return True
