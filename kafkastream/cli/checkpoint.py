"""``kafkastream checkpoint``: shows the contents of a checkpoint directory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from kafkastream.cli.titled_table import cell
from kafkastream.metrics.standing import time_text

if TYPE_CHECKING:
    from kafkastream.spark.checkpoint.stored import StoredJob, StoredQuery, StoredSource

__all__ = ["checkpoint_command"]

_SHOWN_PARTITIONS = 8


@click.command(
    "checkpoint",
    epilog="\b\nExample:\n  kafkastream checkpoint /data/jobs\n  kafkastream checkpoint hdfs://host/jobs/orders",
)
@click.argument("directory")
def checkpoint_command(directory: str) -> None:
    """Show the jobs in a checkpoint DIRECTORY.

    For each job: its queries, sources with their next offsets, stateful operators, watermarks, and the versions that
    wrote the folder. Nothing is changed, and a running job is not disturbed.
    """
    from kafkastream.spark.checkpoint.stored import stored_jobs

    console = Console(highlight=False)
    for job in stored_jobs(directory):
        _show_job(console, job)


def _show_job(console: Console, job: StoredJob) -> None:
    record = job.record
    console.print(
        f"Job {record.job!r}" + (f", by {record.program}" if record.program else ""), style="bold", markup=False
    )
    versions = ", ".join(f"{name} {version}" for name, version in sorted(record.versions.items()))
    console.print(
        f"  folder {job.folder}, format {record.format}, started last with {versions}", markup=False, soft_wrap=True
    )
    if job.owner is not None:
        state = (
            "" if not job.owner.is_here else " (runs)" if job.owner.lives_here else " (has ended without removing it)"
        )
        console.print(f"  owner: process {job.owner.pid} on host {job.owner.host}{state}", markup=False)
    for query in job.queries:
        _show_query(console, query)


def _show_query(console: Console, query: StoredQuery) -> None:
    console.print(f"\n  Query {query.folder}: {_progress_text(query)}", markup=False)
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in ("source", "reads", "next offsets"):
        table.add_column(column, overflow="fold")
    for source in query.sources:
        table.add_row(*map(cell, (source.name, source.reads, _offsets_text(source))))
    console.print(table)
    if query.operators:
        console.print(_operators_table(query.operators, query.watermarks))


def _progress_text(query: StoredQuery) -> str:
    if query.next_batch is None:
        return "its last run has ended" if any(source.offsets for source in query.sources) else "not begun"
    return f"next micro-batch {query.next_batch}" + (
        ", which was begun and will be repeated" if query.is_unfinished else ""
    )


def _offsets_text(source: StoredSource) -> str:
    shown: Sequence[str] = [f"{partition}: {offset}" for partition, offset in sorted(source.offsets.items())]
    more = len(shown) - _SHOWN_PARTITIONS
    return "\n".join([*shown[:_SHOWN_PARTITIONS], *([f"and {more} more"] if more > 0 else [])]) or "-"


def _operators_table(operators: Mapping[str, str], watermarks: Mapping[str, int]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in ("operator with state", "watermark", "its state depends on"):
        table.add_column(column, overflow="fold")
    for identity, depends_on in operators.items():
        table.add_row(*map(cell, (identity, time_text(watermarks.get(identity)), depends_on or "-")))
    return table
