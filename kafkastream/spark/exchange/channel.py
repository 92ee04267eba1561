"""Authenticated messages over a socket between a job's driver and its tasks.

Both sides know a secret, which Spark carries to the tasks with their code. Each proves it for two fresh random numbers, so a
recorded handshake is worth nothing. From the secret and these numbers, each direction of a connection gets a key of its own.
Every frame carries a code made with that key over the frame's number, so a frame that was changed, left out, repeated, moved
or sent back to its sender is refused before a byte of it is unpickled. If Spark encrypts its RPC, frames are encrypted, too.
"""

from __future__ import annotations

import hmac
import os
import pickle
import socket
import struct
from contextlib import ExitStack, suppress
from multiprocessing.connection import wait
from typing import Any, Final, Protocol, final

import attrs

from kafkastream.extras import CRYPTOGRAPHY

__all__ = [
    "MAX_FRAME_BYTES",
    "NONCE_BYTES",
    "PROOF_BYTES",
    "Channel",
    "ChannelError",
    "Secret",
    "connect",
    "read_exactly",
]

NONCE_BYTES: Final = 32
PROOF_BYTES: Final = 32
MAX_FRAME_BYTES: Final = 64 * 1024
"""Content of a frame: so much is read, at most, before its code is checked. Longer messages have several frames."""

_HEADER: Final = struct.Struct(">?I")
"""Whether a frame is the last one of its message, and the size of its content."""
_NUMBER: Final = struct.Struct(">4xQ")
"""Number of a frame in its direction; also the 96 bits that AES-GCM must not see twice with one key, NIST SP 800-38D."""
_HANDSHAKE_S: Final = 10.0


class ChannelError(Exception):
    """The other side does not know the secret, or what it sent was changed on the way."""


class _Protection(Protocol):
    """Protects the frames of one direction."""

    code_bytes: int

    def seal(self, number: bytes, header: bytes, content: bytes) -> bytes: ...

    def open(self, number: bytes, header: bytes, sealed: bytes) -> bytes: ...


@final
@attrs.frozen
class Secret:
    """What both sides of a channel know.

    Args:
        value: Random bytes.
        encrypts: Whether messages are encrypted, as well as authenticated.
    """

    value: bytes = attrs.field(repr=False)
    encrypts: bool = False

    @staticmethod
    def random(*, encrypts: bool) -> Secret:
        """Make a secret.

        Raises:
            SetupError: Messages are to be encrypted, and the package for that is not installed.
        """
        if encrypts:
            CRYPTOGRAPHY.imported()
        return Secret(os.urandom(32), encrypts)

    def proof(self, role: str, nonces: bytes) -> bytes:
        """Return what only a side of this role that knows the secret can answer to the nonces of both sides."""
        return self._derive(f"proof of the {role}", nonces)

    def channel(self, connection: socket.socket, role: str, nonces: bytes) -> Channel:
        """Return the channel of the side that has this role, after both have proved that they know the secret."""
        keys = {sender: self._derive(f"key of the {sender}", nonces) for sender in ("driver", "task")}
        outgoing = keys.pop(role)
        (incoming,) = keys.values()
        protection = _AesGcm if self.encrypts else _Hmac
        return Channel(connection, protection(outgoing), protection(incoming))

    def _derive(self, purpose: str, nonces: bytes) -> bytes:
        mode = "encrypted" if self.encrypts else "authenticated"
        return hmac.digest(self.value, f"kafkastream 1, {mode}, {purpose}\0".encode() + nonces, "sha256")


@final
class _Hmac:
    """Authenticates frames."""

    code_bytes = 32

    def __init__(self, key: bytes) -> None:
        self._key = key

    def seal(self, number: bytes, header: bytes, content: bytes) -> bytes:
        return content + hmac.digest(self._key, number + header + content, "sha256")

    def open(self, number: bytes, header: bytes, sealed: bytes) -> bytes:
        content, code = sealed[: -self.code_bytes], sealed[-self.code_bytes :]
        if not hmac.compare_digest(code, hmac.digest(self._key, number + header + content, "sha256")):
            raise ChannelError("a message was changed on the way")
        return content


@final
class _AesGcm:
    """Encrypts and authenticates frames."""

    code_bytes = 16

    def __init__(self, key: bytes) -> None:
        self._cipher: Any = CRYPTOGRAPHY.imported("cryptography.hazmat.primitives.ciphers.aead").AESGCM(key)
        self._invalid: type[Exception] = CRYPTOGRAPHY.imported("cryptography.exceptions").InvalidTag

    def seal(self, number: bytes, header: bytes, content: bytes) -> bytes:
        return bytes(self._cipher.encrypt(number, content, header))

    def open(self, number: bytes, header: bytes, sealed: bytes) -> bytes:
        try:
            return bytes(self._cipher.decrypt(number, sealed, header))
        except self._invalid:
            raise ChannelError("a message was changed on the way") from None


@final
class Channel:
    """Sends and receives objects, one thread in each direction at a time; ``Secret.channel`` makes one."""

    def __init__(self, connection: socket.socket, outgoing: _Protection, incoming: _Protection) -> None:
        connection.settimeout(None)
        self._socket = connection
        self._outgoing = outgoing
        self._incoming = incoming
        self._sent = self._received = 0

    def send(self, message: object) -> None:
        """Send an object.

        Raises:
            OSError: The connection is broken.
        """
        content = pickle.dumps(message, 5)
        frames = []
        for start in range(0, len(content), MAX_FRAME_BYTES):
            part = content[start : start + MAX_FRAME_BYTES]
            header = _HEADER.pack(start + len(part) == len(content), len(part))
            frames += [header, self._outgoing.seal(_NUMBER.pack(self._sent), header, part)]
            self._sent += 1
        self._socket.sendall(b"".join(frames))

    def receive(self) -> Any:
        """Return the next object.

        Raises:
            EOFError: The other side has closed the connection.
            ChannelError: What came was not sent by the other side, in this place.
            OSError: The connection is broken.
        """
        parts, is_last = [], False
        while not is_last:
            header = read_exactly(self._socket, _HEADER.size)
            is_last, size = _HEADER.unpack(header)
            if size > MAX_FRAME_BYTES:
                raise ChannelError(f"a frame of {size} bytes was announced, and the largest has {MAX_FRAME_BYTES}")
            sealed = read_exactly(self._socket, size + self._incoming.code_bytes)
            parts.append(self._incoming.open(_NUMBER.pack(self._received), header, sealed))
            self._received += 1
        return pickle.loads(b"".join(parts))

    def has_input(self) -> bool:
        """Return whether something has come that is not received yet, or the connection has ended."""
        return bool(wait([self._socket], 0))

    def hang_up(self) -> None:
        """End the connection while another thread receives from it, which closing would not wake."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()


def connect(address: tuple[str, int], secret: Secret) -> Channel:
    """Return a channel from a task to the driver.

    Raises:
        EOFError: The driver has closed the connection: it does not know the secret, or too many others connect to it.
        ChannelError: Another program than the job's driver listens there.
        OSError: Nothing listens there.
    """
    with ExitStack() as on_error:
        connection = socket.create_connection(address, _HANDSHAKE_S)
        on_error.callback(connection.close)
        channel = _task_channel(connection, secret)
        on_error.pop_all()
    return channel


def _task_channel(connection: socket.socket, secret: Secret) -> Channel:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    nonces = read_exactly(connection, NONCE_BYTES) + os.urandom(NONCE_BYTES)
    connection.sendall(nonces[NONCE_BYTES:] + secret.proof("task", nonces))
    if not hmac.compare_digest(read_exactly(connection, PROOF_BYTES), secret.proof("driver", nonces)):
        raise ChannelError("a program that does not know the job's secret listens there")
    return secret.channel(connection, "task", nonces)


def read_exactly(connection: socket.socket, size: int) -> bytes:
    """Read so many bytes.

    Raises:
        EOFError: The other side has closed the connection before.
    """
    content = bytearray()
    while len(content) < size:
        part = connection.recv(size - len(content))
        if not part:
            raise EOFError("the connection was closed")
        content += part
    return bytes(content)
