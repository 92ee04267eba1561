"""The driver's side of the connections with the tasks of epochs: hands out partitions, and hears what they tell."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, Listener, answer_challenge, deliver_challenge
from threading import Condition, Thread
from typing import Final, final

from kafkastream.spark.exchange.epoch_link import Endpoint, Share, TaskJoin, Tidings, hang_up, undelayed

__all__ = ["EpochServer"]

_KEY_BYTES: Final = 32


@final
class EpochServer:
    """Listens for the tasks of a query's epochs, one epoch after the other.

    Args:
        host: Host at which executors reach the driver.
        take: Takes what tasks tell; called by one thread at a time. An error of it ends the epoch.
        failed: Called with that error.
    """

    def __init__(self, host: str, take: Callable[[Tidings], None], failed: Callable[[Exception], None]) -> None:
        self._listener = Listener((host, 0))
        self.endpoint = Endpoint(host, self._listener.address[1], os.urandom(_KEY_BYTES))
        self._is_closed = False
        self._take = take
        self._failed = failed
        self._changed = Condition()
        self._epoch = 0
        self._share_of: Callable[[int], Share] = lambda _: Share()
        self._tasks: dict[int, Connection] = {}
        self._taken: dict[int, int] = {}
        self._holders: dict[int, str] = {}
        self._number = 0
        self._hearing = 0
        self._is_ending = False
        self._repeated: set[int] = set()
        self._ailing: set[int] = set()
        Thread(target=self._accept, name="kafkastream-epochs", daemon=True).start()

    def begin(self, number: int, share_of: Callable[[int], Share]) -> int:
        """Begin an epoch; return its number.

        Args:
            number: Number of its shares.
            share_of: Returns a share as it is now: a repeated task continues where the one before was safe.
        """
        with self._changed:
            self._epoch += 1
            self._number, self._share_of = number, share_of
            self._taken, self._is_ending = {}, False
            self._repeated, self._ailing = set(), set()
            return self._epoch

    @property
    def has_recovered(self) -> bool:
        """True if tasks were repeated, and each has reached a checkpoint since.

        Spark counts the attempts at a task until the end of its job, and allows few; a new epoch starts the count again.
        """
        return bool(self._repeated) and not self._ailing

    def end(self) -> None:
        """Ask the tasks to end the epoch; those that come later have nothing to do."""
        with self._changed:
            self._is_ending = True
            for connection in self._tasks.values():
                with suppress(OSError):
                    connection.send(None)

    def quiet(self, timeout_s: float) -> None:
        """Wait until all that tasks have sent is heard, after they have ended."""
        with self._changed:
            self._changed.wait_for(lambda: not self._hearing, timeout_s)

    def close(self) -> None:
        """Close all connections: tasks that still run give up."""
        self._is_closed = True
        with suppress(OSError), socket.create_connection(self.endpoint[:2]):  # wakes the thread that accepts
            pass
        with self._changed:
            for connection in self._tasks.values():
                hang_up(connection)

    def _accept(self) -> None:
        with self._listener:
            while not self._is_closed:
                with suppress(OSError):
                    connection = self._listener.accept()
                    Thread(target=self._serve, args=(connection,), name="kafkastream-epoch", daemon=True).start()

    def _serve(self, connection: Connection) -> None:
        with self._changed:
            self._hearing += 1
        task: int | None = None
        try:
            with suppress(EOFError, OSError, AuthenticationError):
                deliver_challenge(connection, self.endpoint.key)
                answer_challenge(connection, self.endpoint.key)
                join = undelayed(connection).recv()
                assert isinstance(join, TaskJoin)
                task = self._joined(join, connection)
                while True:
                    self._heard(task, connection, connection.recv())
        finally:
            with self._changed:
                if task is not None and self._tasks.get(task) is connection:
                    del self._tasks[task]
                connection.close()
                self._hearing -= 1
                self._changed.notify_all()

    def _joined(self, join: TaskJoin, connection: Connection) -> int:
        with self._changed:
            before = self._tasks.pop(join.task, None)
            if before is not None:  # of an earlier attempt, which may still run
                hang_up(before)
            if join.epoch != self._epoch or self._is_ending:
                connection.send(Share())
                return join.task
            if join.task in self._taken:
                self._repeated.add(join.task)
                self._ailing.add(join.task)
            share = self._taken.setdefault(join.task, self._chosen(join.worker))
            self._holders[share] = join.worker
            self._tasks[join.task] = connection
            connection.send(self._share_of(share))
            return join.task

    def _chosen(self, worker: str) -> int:
        """Return the number of a share that nobody has yet: the one that the worker had before, if it is one of them."""
        free: Sequence[int] = [one for one in range(self._number) if one not in self._taken.values()]
        return min(free, key=lambda one: (self._holders.get(one) != worker, one in self._holders, one), default=0)

    def _heard(self, task: int, connection: Connection, message: object) -> None:
        with self._changed:
            if self._tasks.get(task) is not connection:
                raise EOFError  # another attempt has the share
            assert isinstance(message, Tidings)
            try:
                self._take(message)
                if message.is_safe:
                    self._ailing.discard(task)
            except Exception as error:  # noqa: BLE001 - whatever it is, the job has to hear of it
                self._failed(error)
