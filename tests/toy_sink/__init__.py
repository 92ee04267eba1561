"""A sink as somebody outside the package would write it, with public names only: files of JSON lines, exactly once."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any, final

import attrs

from kafkastream.connect import (
    Committer,
    CommitterInitContext,
    CommittingSinkWriter,
    Sink,
    SupportsCommitter,
    WriteContext,
)
from kafkastream.datastream.functions import RuntimeContext
from kafkastream.errors import DefinitionError

__all__ = ["JsonLineSink"]


@final
@attrs.frozen
class JsonLineSink(Sink[Any], SupportsCommitter[str]):
    """Writes each element as a line of JSON, exactly once.

    Args:
        directory: Directory that the driver and all workers share.

    Raises:
        DefinitionError: The directory is not an absolute path.
    """

    directory: str

    def __attrs_post_init__(self) -> None:
        if not Path(self.directory).is_absolute():
            raise DefinitionError(f"'{self.directory}' is not an absolute path", where="JsonLineSink")

    @property
    def target_text(self) -> str:
        """Return the directory."""
        return f"lines in {self.directory}"

    def create_writer(self, context: RuntimeContext) -> JsonLineWriter:
        """Return the writer of a subtask."""
        return JsonLineWriter(Path(self.directory))

    def create_committer(self, context: CommitterInitContext) -> JsonLineCommitter:
        """Return the committer."""
        return JsonLineCommitter(Path(self.directory), context.sink_id)


@final
class JsonLineWriter(CommittingSinkWriter[Any, str]):
    """Writes a hidden file for each task of a micro-batch."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._lines: list[str] = []

    def write(self, elements: Sequence[Any], context: WriteContext) -> None:
        """Buffer the lines, and reject what JSON cannot express."""
        for index, element in enumerate(elements):
            try:
                self._lines.append(json.dumps(element))
            except TypeError as error:
                context.reject(index, error)

    def prepare_commit(self) -> Sequence[str]:
        """Write the file, and return its name."""
        lines, self._lines = self._lines, []
        if not lines:
            return []
        self._directory.mkdir(parents=True, exist_ok=True)
        hidden = self._directory / f".{uuid.uuid4().hex}"
        hidden.write_text("".join(f"{line}\n" for line in lines))
        return [hidden.name]


@final
class JsonLineCommitter(Committer[str]):
    """Renames the files of a micro-batch; those that an earlier attempt has committed are replaced."""

    def __init__(self, directory: Path, sink_id: str) -> None:
        self._directory = directory
        self._sink_id = sink_id

    def commit(self, committables: Sequence[str], checkpoint_id: int) -> None:
        """Rename the files: their names begin with the number of the micro-batch."""
        prefix = f"{self._sink_id}-{checkpoint_id:020}"
        for committed in self._directory.glob(f"{prefix}-*.jsonl"):
            committed.unlink()
        for number, hidden in enumerate(committables):
            (self._directory / hidden).rename(self._directory / f"{prefix}-{number}.jsonl")
