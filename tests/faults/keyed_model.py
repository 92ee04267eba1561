"""What the job with state is to write, by a plain model: each element counts once in each kind of operator."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Final

__all__ = [
    "GAP_MS",
    "GIVEN",
    "KEYS",
    "NEAR_MS",
    "T0",
    "TIMER_MS",
    "expected_lines",
    "key_of",
    "number_of",
    "session_time",
    "time_of",
]

T0: Final = 1_794_999_960_000  # a full minute, so that one window has all
TIMER_MS: Final = 60_000
NEAR_MS: Final = 5
GAP_MS: Final = 21_000
NUMBERS: Final = 500
PER_ATTEMPT: Final = 490
KEYS: Final = [f"key-{number}" for number in range(7)]
GIVEN: Final = [f"{key} {PER_ATTEMPT + place}" for place, key in enumerate(KEYS)]
"""The elements that a collection gives, with numbers that the first attempt leaves free."""
_SESSIONS_BEGIN_S: Final = (0, 40, 20)  # the third attempt makes one session of two


def key_of(value: str) -> str:
    """The key of an element ``key number``."""
    return value.split(maxsplit=1)[0]


def number_of(value: str) -> int:
    """The number of an element."""
    return int(value.split()[1])


def time_of(value: str) -> int:
    """The time of an element's record: it rises with the number."""
    attempt, rest = divmod(number_of(value), NUMBERS)
    return T0 + attempt * 10_000 + rest


def session_time(value: str) -> int:
    """The time that counts for sessions, which come out of order."""
    match key_of(value):
        case "rule":
            return T0
        case "end":
            return T0 + 300_000
        case _:
            attempt, rest = divmod(number_of(value), NUMBERS)
            return T0 + _SESSIONS_BEGIN_S[attempt] * 1000 + rest


def expected_lines(values: Sequence[str], rule: str) -> Counter[str]:
    """What is written for these elements, each as often as it comes."""
    by_key: dict[str, list[str]] = defaultdict(list)
    for value in values:
        by_key[key_of(value)].append(value)
    return Counter(line for key, own in by_key.items() for line in _of_key(key, own, rule))


def _of_key(key: str, values: Sequence[str], rule: str) -> Iterator[str]:
    for count in range(1, len(values) + 1):
        yield from (f"{kind} {key} {count}" for kind in ("count", "reduced", "both", f"{rule} ruled"))
    yield f"timer {key} {len(values)}"
    yield f"window {key} {len(values)}"
    sides: Mapping[int, list[str]] = {side: [one for one in values if number_of(one) % 2 == side] for side in (0, 1)}
    yield f"sides {key} {len(sides[0])} {len(sides[1])}"
    for left, right in product(*sides.values()):
        if abs(time_of(left) - time_of(right)) <= NEAR_MS:
            yield f"pair {key} {number_of(left)} {number_of(right)}"
    yield from (f"session {key} {length}" for length in _sessions(sorted(map(session_time, values))))


def _sessions(times: Sequence[int]) -> Iterator[int]:
    length = 0
    for time, following in zip(times, [*times[1:], None], strict=True):
        length += 1
        if following is None or following > time + GAP_MS:
            yield length
            length = 0
