"""``JavaRandom`` gives the numbers that Java 17 printed for the same seeds."""

from __future__ import annotations

import pytest

from kafkastream.util.java_random import JavaRandom


def numbers(seed: int) -> list[float]:
    random = JavaRandom(seed)
    ranges = [
        random.next_int(),
        random.next_int(10),
        random.next_int(16),
        random.next_int(5, 12),
        random.next_int(4, 8),
    ]
    longs = [random.next_long(), random.next_long(1000), random.next_long(5, 9)]
    fractions = [random.next_double(), float(random.next_boolean()), random.next_gaussian(), random.next_gaussian()]
    return [*ranges, *longs, *fractions, random.next_double(2.0, 3.5), random.next_int(2_000_000_000)]


@pytest.mark.parametrize(
    ("seed", "expected"),
    [
        (
            0,
            [
                -1155484576,
                8,
                3,
                7,
                6,
                5700976833288827063,
                975,
                8,
                0.2527761665759859,
                1.0,
                0.17268833153399873,
                -0.08807455272616774,
                2.1933457263106653,
                314824652,
            ],
        ),
        (
            42,
            [
                -1170105035,
                3,
                10,
                8,
                4,
                -1068554554583376509,
                247,
                6,
                0.4512572194454507,
                0.0,
                -1.7534879738855944,
                -0.284202760501211,
                3.174352668185054,
                1974241400,
            ],
        ),
        (
            -7,
            [
                1155869324,
                7,
                10,
                8,
                4,
                2701079913633722686,
                301,
                7,
                0.5098473861777507,
                1.0,
                -1.2050769225343736,
                0.31961411959632047,
                2.851456055998213,
                761900151,
            ],
        ),
        (
            123456789012,
            [
                59424925,
                7,
                8,
                8,
                5,
                4575438820379692626,
                865,
                5,
                0.04615116822091181,
                0.0,
                -0.1127561506686191,
                -1.2721249297546413,
                3.0695824578346267,
                839185912,
            ],
        ),
    ],
)
def test_the_numbers_of_a_seed_are_those_of_java(seed: int, expected: list[float]) -> None:
    assert numbers(seed) == expected


def test_numbers_without_a_seed_differ() -> None:
    assert JavaRandom().next_long() != JavaRandom().next_long()


def test_an_empty_range_is_an_error() -> None:
    with pytest.raises(ValueError, match="bound must be positive"):
        JavaRandom(1).next_int(0)
    with pytest.raises(ValueError, match="bound must be greater than origin"):
        JavaRandom(1).next_int(3, 3)
