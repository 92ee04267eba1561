"""Connection between a task of an epoch and the driver: lines, positions and failures one way, the request to end the other."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import Client, Connection
from typing import NamedTuple, final

import attrs

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.spark.worker.reports import Report

__all__ = [
    "DriverLink",
    "DriverLostError",
    "Endpoint",
    "Offsets",
    "Row",
    "Share",
    "TaskJoin",
    "Tidings",
    "hang_up",
    "report_rows",
    "undelayed",
]

Offsets = Mapping[int, Mapping[TopicPartition, int]]
"""Offsets of partitions, by the node of their source."""

Row = tuple[str, int, bytes]
"""A report: its kind, the node, and the pickled content."""


class DriverLostError(Exception):
    """The driver has ended, or another attempt has the partitions now."""


class Endpoint(NamedTuple):
    """Place at which a driver listens.

    Args:
        host: Host of the driver.
        port: Port of the epochs.
        key: Secret that both sides prove to know.
    """

    host: str
    port: int
    key: bytes


class TaskJoin(NamedTuple):
    """Request of a task for its share.

    Args:
        epoch: Number of the epoch.
        task: Number of the task in the epoch.
        worker: Process that it runs in, which may have consumed some partitions before.
    """

    epoch: int
    task: int
    worker: str


class Share(NamedTuple):
    """Partitions of a task.

    Args:
        starts: Where to begin, for each partition; empty if there is nothing to do.
        stops: Where to stop, for the partitions that have an end.
    """

    starts: Offsets = FrozenMap()
    stops: Offsets = FrozenMap()


class Tidings(NamedTuple):
    """Messages of a task to the driver while it runs.

    Args:
        rows: Reports.
        reached: Offsets up to which records have been processed.
        ends: Ends of the partitions on the brokers, as far as known.
        is_safe: Whether all output of the records before ``reached`` has been delivered.
    """

    rows: Sequence[Row] = ()
    reached: Offsets = FrozenMap()
    ends: Offsets = FrozenMap()
    is_safe: bool = False


@final
@attrs.frozen
class DriverLink:
    """A task's side of the connection."""

    connection: Connection

    @staticmethod
    def to(endpoint: Endpoint) -> DriverLink:
        """Connect to the driver.

        Raises:
            DriverLostError: The driver does not listen any more.
        """
        try:
            return DriverLink(undelayed(Client((endpoint.host, endpoint.port), authkey=endpoint.key)))
        except (OSError, EOFError) as error:
            raise DriverLostError(f"the driver does not listen on {endpoint.host}:{endpoint.port}: {error}") from None

    def join(self, request: TaskJoin) -> Share:
        """Return the share of this task."""
        self._send(request)
        share = self._received()
        assert isinstance(share, Share)
        return share

    def tell(self, tidings: Tidings) -> None:
        """Send reports and positions."""
        self._send(tidings)

    def is_to_end(self) -> bool:
        """Return whether the driver has asked for the end of the epoch.

        Raises:
            DriverLostError: The driver has ended, or another attempt has the partitions now.
        """
        try:
            return self.connection.poll() and self._received() is None
        except OSError as error:
            raise DriverLostError(str(error)) from None

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def _send(self, message: TaskJoin | Tidings) -> None:
        try:
            self.connection.send(message)
        except OSError as error:
            raise DriverLostError(str(error)) from None

    def _received(self) -> object:
        try:
            return self.connection.recv()
        except (OSError, EOFError) as error:
            raise DriverLostError(str(error)) from None


def undelayed(connection: Connection) -> Connection:
    """Return a connection whose small messages do not wait for the answer to those before (Nagle's algorithm)."""
    with socket.socket(fileno=os.dup(connection.fileno())) as own:
        own.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def hang_up(connection: Connection) -> None:
    """End a connection that another thread reads from, which then closes it; closing it here would not wake that one."""
    with suppress(OSError), socket.socket(fileno=os.dup(connection.fileno())) as own:
        own.shutdown(socket.SHUT_RDWR)


def report_rows(reports: Sequence[Report]) -> list[Row]:
    """Return reports as rows, with their contents pickled."""
    return [(one.kind.value, one.node, one.payload()) for one in reports]
