"""Hostile bytes on the connection between a task and the driver: what is received is what was sent, or an error."""

from __future__ import annotations

import socket
from contextlib import closing
from typing import Any, Final

from hypothesis import given
from hypothesis import strategies as st

from kafkastream.spark.exchange.channel import MAX_FRAME_BYTES, NONCE_BYTES, PROOF_BYTES, Channel, ChannelError, Secret

SECRET: Final = {encrypts: Secret(b"s" * 32, encrypts) for encrypts in (False, True)}
NONCES: Final = b"n" * 2 * NONCE_BYTES
LONG: Final = b"x" * (MAX_FRAME_BYTES + 10)  # of two frames; only one fits into a socket, which nobody reads yet
MESSAGES: Final = st.tuples(
    st.lists(st.none() | st.binary(max_size=300), max_size=4), st.sampled_from([[], [LONG]])
).map(lambda parts: parts[0] + parts[1])


def received(content: bytes, secret: Secret) -> tuple[list[Any], Exception]:
    """Return what the driver receives when a task sends these bytes and closes, and the error that ends it."""
    task, driver = socket.socketpair()
    messages = []
    with closing(secret.channel(driver, "driver", NONCES)) as channel:
        with closing(task):
            task.sendall(content)
        try:
            while True:
                messages.append(channel.receive())
        except (ChannelError, EOFError) as error:
            return messages, error


def sent(messages: list[Any], secret: Secret, role: str = "task") -> list[bytes]:
    """Return the bytes of each message."""
    one, other = socket.socketpair()
    with closing(secret.channel(one, role, NONCES)) as channel, other:
        return [_bytes_of(message, channel, other) for message in messages]


def _bytes_of(message: Any, channel: Channel, other: socket.socket) -> bytes:
    channel.send(message)
    return other.recv(1 << 20)


@given(messages=MESSAGES, encrypts=st.booleans(), data=st.data())
def test_bytes_that_were_changed_are_never_received(messages: list[Any], encrypts: bool, data: st.DataObject) -> None:
    parts = sent(messages, SECRET[encrypts])
    honest = b"".join(parts)
    change = data.draw(st.sampled_from(["flip", "cut", "insert", "delete", "repeat", "swap", "reflect", "nothing"]))
    at = data.draw(st.integers(0, max(len(honest) - 1, 0)))
    changed = bytearray(honest)
    if change == "flip" and honest:
        changed[at] ^= 1 << data.draw(st.integers(0, 7))
    elif change == "cut":
        del changed[at:]
    elif change == "insert":
        changed[at:at] = data.draw(st.binary(min_size=1, max_size=100))
    elif change == "delete":
        del changed[at : at + data.draw(st.integers(1, 100))]
    elif change == "repeat" and parts:
        changed += data.draw(st.sampled_from(parts))
    elif change == "swap" and len(parts) > 1:
        changed = bytearray(b"".join([*parts[1:], parts[0]]))
    elif change == "reflect":
        changed = bytearray(b"".join(sent(messages, SECRET[encrypts], "driver")))
    result, _ = received(bytes(changed), SECRET[encrypts])
    assert result == messages[: len(result)]
    if changed == honest:
        assert result == messages


@given(content=st.binary(max_size=2000), encrypts=st.booleans())
def test_bytes_of_a_stranger_are_an_error(content: bytes, encrypts: bool) -> None:
    assert received(content, SECRET[encrypts])[0] == []


@given(answer=st.binary(min_size=PROOF_BYTES, max_size=PROOF_BYTES), nonces=st.binary(min_size=64, max_size=64))
def test_nobody_guesses_a_proof(answer: bytes, nonces: bytes) -> None:
    proofs = {secret.proof(role, nonces) for secret in SECRET.values() for role in ("task", "driver")}
    assert len(proofs) == 4
    assert answer not in proofs
