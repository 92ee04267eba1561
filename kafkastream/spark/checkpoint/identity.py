"""Identity of a job: maps a program to the record in its checkpoint folder, and writes the next record."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import final

import attrs

from kafkastream.model.common.error_location import located
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.graph.job_graph import JobGraph
from kafkastream.model.job.job_result import JobSettings
from kafkastream.spark.checkpoint.folder import CheckpointFolder
from kafkastream.spark.checkpoint.part_identity import PartIdentity, check_owner, part_identities
from kafkastream.spark.checkpoint.record import JobRecord
from kafkastream.spark.session.spark_versions import names_sources

__all__ = ["JobIdentity"]

log = logging.getLogger("kafkastream")


@final
@attrs.frozen
class JobIdentity:
    """A job and the checkpoint folder that it continues from.

    Args:
        folder: The job's checkpoint folder.
        settings: The job's settings.
        parts: The parts of the program.
        before: Record of the last start; None at the first.
    """

    folder: CheckpointFolder
    settings: JobSettings
    parts: tuple[PartIdentity, ...]
    before: JobRecord | None

    @staticmethod
    def of(folder: CheckpointFolder, settings: JobSettings, components: Sequence[JobGraph]) -> JobIdentity:
        """Map the parts of a program to the queries in a folder.

        Raises:
            DefinitionError: The folder belongs to another job or has another format, or the program cannot continue
                from its progress.
        """
        before = folder.job_record()
        with located(f"job {settings.name!r}, checkpoint {folder.path}"):
            if before is not None:
                check_owner(before, settings)
            recorded = () if before is None else before.parts
            parts = part_identities(
                components,
                recorded,
                folder.sources_read,
                can_name=names_sources(folder.session.version),
                ignores_unclaimed=settings.ignores_unclaimed_state,
            )
        return JobIdentity(folder, settings, parts, before)

    def keep(self, operators: Sequence[Mapping[str, str]]) -> None:
        """Write the record of this start, and delete progress that no source claims any more.

        Args:
            operators: Dependencies of the state of keyed operators, for each part.
        """
        records = tuple(part.record(own) for part, own in zip(self.parts, operators, strict=True))
        versions = {name: version(name) for name in ("kafkastream", "pyspark")}
        record = JobRecord(
            job=self.settings.name, program=self.settings.program, parts=records, versions=FrozenMap(versions)
        )
        self.folder.keep_record(record)
        kept = {one.folder for one in records}
        for gone in () if self.before is None else self.before.parts:
            if gone.folder not in kept:
                self.folder.forget(gone.folder)
        for part in self.parts:
            for source in part.place.added:
                log.info(
                    "job %r: %s is new in its checkpoint and begins at its starting offsets", self.settings.name, source
                )
            for key in part.place.dropped:
                self.folder.forget_source(part.place.folder, key)
