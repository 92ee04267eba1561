"""The driver's side of the connections with the tasks of epochs: hands out partitions, and hears what they tell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Condition, Thread
from typing import Final, final

import attrs
from pyspark import SparkContext

from kafkastream.extras import CRYPTOGRAPHY
from kafkastream.spark.exchange.channel import Channel, ChannelError, Secret
from kafkastream.spark.exchange.epoch_link import Endpoint, Share, TaskJoin, Tidings
from kafkastream.spark.job.task_listener import TaskListener
from kafkastream.spark.session.master import is_cluster

__all__ = ["EpochServer", "ListenerAddress", "check_encryption", "listener_address"]

_ENCRYPTS_RPC: Final = (
    "spark.network.crypto.enabled",
    "spark.authenticate.enableSaslEncryption",
    "spark.ssl.rpc.enabled",
)
"""Settings that encrypt Spark's RPC, which carries tasks and their results: what a task sends to the driver is of this kind.

``spark.io.encryption.enabled`` is about local files, and ``spark.ssl.enabled`` does not switch RPC on:
https://spark.apache.org/docs/4.2.1/security.html.
"""


@final
@attrs.frozen(kw_only=True)
class ListenerAddress:
    """Address of the driver for the tasks of its epochs.

    Args:
        host: Host at which executors reach the driver.
        bind: Address that the driver listens on.
        ports: Ports to try, in order; 0 lets the system choose.
        encrypts: Whether messages are encrypted, as well as authenticated.
    """

    host: str = "127.0.0.1"
    bind: str = "127.0.0.1"
    ports: Sequence[int] = (0,)
    encrypts: bool = False


def listener_address(spark: SparkContext, ports: Sequence[int]) -> ListenerAddress:
    """Return the address of Spark's own driver, with other ports; the loopback interface if all tasks run on this machine."""
    conf = spark.getConf()
    encrypts = _encrypts_rpc(spark)
    if not is_cluster(str(spark.master)):
        return ListenerAddress(ports=ports, encrypts=encrypts)
    host = str(conf.get("spark.driver.host"))
    return ListenerAddress(host=host, bind=conf.get("spark.driver.bindAddress") or host, ports=ports, encrypts=encrypts)


def check_encryption(spark: SparkContext) -> None:
    """Check that the driver can encrypt what Spark is told to.

    Raises:
        SetupError: The package for it is not installed.
    """
    if _encrypts_rpc(spark):
        CRYPTOGRAPHY.imported()


def _encrypts_rpc(spark: SparkContext) -> bool:
    conf = spark.getConf()
    return any(str(conf.get(key, "false")).lower() == "true" for key in _ENCRYPTS_RPC)


@final
class EpochServer:
    """Listens for the tasks of a query's epochs, one epoch after the other.

    Args:
        address: Address to listen on.
        take: Takes what tasks tell; called by one thread at a time. An error of it ends the epoch.
        failed: Called with that error.

    Raises:
        SetupError: No port is free, or the package for encryption is not installed.
    """

    def __init__(
        self, address: ListenerAddress, take: Callable[[Tidings], None], failed: Callable[[Exception], None]
    ) -> None:
        self._take = take
        self._failed = failed
        self._changed = Condition()
        self._epoch = 0
        self._share_of: Callable[[int], Share] = lambda _: Share()
        self._tasks: dict[int, Channel] = {}
        self._taken: dict[int, int] = {}
        self._holders: dict[int, str] = {}
        self._number = 0
        self._open: set[Channel] = set()
        self._is_ending = False
        self._repeated: set[int] = set()
        self._ailing: set[int] = set()
        secret = Secret.random(encrypts=address.encrypts)
        self._listener = TaskListener(address.bind, address.ports, secret, self._accepted)
        self.endpoint = Endpoint(address.host, self._listener.port, secret)

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
            for channel in self._tasks.values():
                with suppress(OSError):
                    channel.send(None)

    def quiet(self, timeout_s: float) -> None:
        """Wait until all that tasks have sent is heard, after they have ended.

        A connection that stays open is one whose machine has gone; it is closed, so that the next epoch need not wait.
        """
        with self._changed:
            self._changed.wait_for(lambda: not self._open, timeout_s)
            self._hang_up()

    def close(self) -> None:
        """Close all connections: tasks that still run give up."""
        self._listener.close()
        with self._changed:
            self._hang_up()

    def _hang_up(self) -> None:
        for channel in self._open:
            channel.hang_up()

    def _accepted(self, channel: Channel) -> None:
        with self._changed:
            self._open.add(channel)
        Thread(target=self._serve, args=(channel,), name="kafkastream-epoch", daemon=True).start()

    def _serve(self, channel: Channel) -> None:
        task: int | None = None
        try:
            with suppress(EOFError, OSError, ChannelError):
                join = channel.receive()
                assert isinstance(join, TaskJoin)
                task = self._joined(join, channel)
                while True:
                    self._heard(task, channel, channel.receive())
        finally:
            with self._changed:
                if task is not None and self._tasks.get(task) is channel:
                    del self._tasks[task]
                channel.close()
                self._open.discard(channel)
                self._changed.notify_all()

    def _joined(self, join: TaskJoin, channel: Channel) -> int:
        with self._changed:
            before = self._tasks.pop(join.task, None)
            if before is not None:  # of an earlier attempt, which may still run
                before.hang_up()
            if join.epoch != self._epoch or self._is_ending:
                channel.send(Share())
                return join.task
            if join.task in self._taken:
                self._repeated.add(join.task)
                self._ailing.add(join.task)
            share = self._taken.setdefault(join.task, self._chosen(join.worker))
            self._holders[share] = join.worker
            self._tasks[join.task] = channel
            channel.send(self._share_of(share))
            return join.task

    def _chosen(self, worker: str) -> int:
        """Return the number of a share that nobody has yet: the one that the worker had before, if it is one of them."""
        free: Sequence[int] = [one for one in range(self._number) if one not in self._taken.values()]
        return min(free, key=lambda one: (self._holders.get(one) != worker, one in self._holders, one), default=0)

    def _heard(self, task: int, channel: Channel, message: object) -> None:
        with self._changed:
            if self._tasks.get(task) is not channel:
                raise EOFError  # another attempt has the share
            assert isinstance(message, Tidings)
            try:
                self._take(message)
                if message.is_safe:
                    self._ailing.discard(task)
            except Exception as error:  # noqa: BLE001 - whatever it is, the job has to hear of it
                self._failed(error)
