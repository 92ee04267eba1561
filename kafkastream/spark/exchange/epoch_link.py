"""Connection between a task of an epoch and the driver: lines, positions and failures one way, the request to end the other."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, final

import attrs

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.spark.exchange.channel import Channel, ChannelError, Secret, connect
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
    "report_rows",
]

_CONNECT_S: Final = 10.0
"""Time for which a task tries again when its connection is closed, as it is when many strangers connect at once."""
_RETRY_S: Final = 0.1

Offsets = Mapping[int, Mapping[TopicPartition, int]]
"""Offsets of partitions, by the node of their source."""

Row = tuple[str, int, bytes]
"""A report: its kind, the node, and the pickled content."""


class DriverLostError(Exception):
    """The driver has ended, or another attempt has the partitions now."""


class Endpoint(NamedTuple):
    """Address at which a driver listens for its tasks.

    Args:
        host: Host of the driver.
        port: Port of the epochs.
        secret: Secret that both sides prove to know; it travels in Spark's tasks, and nowhere else.
    """

    host: str
    port: int
    secret: Secret


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

    channel: Channel

    @staticmethod
    def to(endpoint: Endpoint) -> DriverLink:
        """Connect to the driver.

        Raises:
            DriverLostError: The driver does not listen any more, or does not know the secret.
        """
        give_up_at = time.monotonic() + _CONNECT_S
        while True:
            try:
                return DriverLink(connect((endpoint.host, endpoint.port), endpoint.secret))
            except (EOFError, ConnectionResetError, BrokenPipeError, TimeoutError) as error:
                reason: Exception = error
            except (OSError, ChannelError) as error:
                raise _not_listening(endpoint, error) from None
            if time.monotonic() > give_up_at:
                raise _not_listening(endpoint, reason)
            time.sleep(_RETRY_S)

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
        return self.channel.has_input() and self._received() is None

    def close(self) -> None:
        """Close the connection."""
        self.channel.close()

    def _send(self, message: TaskJoin | Tidings) -> None:
        try:
            self.channel.send(message)
        except OSError as error:
            raise DriverLostError(str(error)) from None

    def _received(self) -> object:
        try:
            return self.channel.receive()
        except (OSError, EOFError, ChannelError) as error:
            raise DriverLostError(str(error)) from None


def _not_listening(endpoint: Endpoint, reason: Exception) -> DriverLostError:
    return DriverLostError(f"the driver does not listen on {endpoint.host}:{endpoint.port}: {reason}")


def report_rows(reports: Sequence[Report]) -> list[Row]:
    """Return reports as rows, with their contents pickled."""
    return [(one.kind.value, one.node, one.payload()) for one in reports]
