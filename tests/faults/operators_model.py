"""What jobs of operators make of the numbers 0, 1, 2, …: by plain rules, for as many as were written.

A number's record has a time that rises with the number, and goes to the partitions in turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

__all__ = [
    "KEYS",
    "NEAR_MS",
    "PARTITIONS",
    "STEP_MS",
    "T0",
    "TIMER_EVERY",
    "TIMER_MS",
    "WINDOW_MS",
    "copies",
    "counts",
    "key_of",
    "keyed_lines",
    "pair_key",
    "pairs",
    "time_of",
]

PARTITIONS: Final = 4  # below 5, Spark orders the tasks of a replay in another way
T0: Final = 1_794_999_960_000  # a full minute
STEP_MS: Final = 10
KEYS: Final = 7
WINDOW_MS: Final = 10_000
TIMER_EVERY: Final = 20
"""Each so many-th number of a key sets a timer."""
TIMER_MS: Final = 3_000
NEAR_MS: Final = 250
_PAIR_KEYS: Final = 10


def time_of(number: int) -> int:
    """The time of a number's record."""
    return T0 + number * STEP_MS


def key_of(number: int) -> int:
    """The key by which a number is counted."""
    return number % KEYS


def pair_key(number: int) -> int:
    """The key by which even numbers are joined with odd ones."""
    return number // 2 % _PAIR_KEYS


def copies(written: int) -> Counter[str]:
    """Each number once."""
    return Counter(map(str, range(written)))


def counts(written: int) -> Counter[str]:
    """Each element tells how many of its key there were, and timers that the watermark has passed tell their time."""
    told = Counter(f"count {key_of(number)} {number // KEYS + 1}" for number in range(written))
    return told + Counter(_timers(written))


def keyed_lines(written: int) -> Counter[str]:
    """Counts, and the windows that the watermark has passed."""
    return counts(written) + Counter(_windows(written))


def pairs(written: int) -> Counter[str]:
    """Each even number with the odd ones of its key that are near."""
    near = NEAR_MS // STEP_MS
    return Counter(
        f"pair {left} {right}"
        for left in range(0, written, 2)
        for right in range(max(0, left - near), min(written, left + near + 1))
        if right % 2 and pair_key(left) == pair_key(right)
    )


def _timers(written: int) -> Iterator[str]:
    for number in range(written):
        due = time_of(number) + TIMER_MS
        if (number // KEYS + 1) % TIMER_EVERY == 0 and due <= _watermark(written):
            yield f"timer {key_of(number)} {due}"


def _windows(written: int) -> Iterator[str]:
    lengths = Counter((key_of(number), number * STEP_MS // WINDOW_MS) for number in range(written))
    for (key, window), length in lengths.items():
        start = T0 + window * WINDOW_MS
        if start + WINDOW_MS - 1 <= _watermark(written):
            yield f"window {key} {start} {length}"


def _watermark(written: int) -> int:
    """Of all partitions together: that of the one whose last number is the least."""
    return time_of(written - PARTITIONS) - 1
