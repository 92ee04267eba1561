"""A large payment right after a small one is reported, unless another payment of the card is between them."""

from decimal import Decimal

from kafkastream.testing import JobTestDriver


def test_a_large_payment_right_after_a_small_one_is_reported() -> None:
    with JobTestDriver.of("examples/cookbook/match_pattern.py") as driver:
        for card, amount, second in (("a", "0.50", 0), ("b", "0.50", 1), ("b", 20, 2), ("a", 600, 30), ("b", 600, 31)):
            driver.table("payments").send((card, amount, f"2024-05-01 10:00:{second:02}"))
        driver.table("payments").send(("c", 10, "2024-05-01 10:00:36"))
        assert driver.table("alerts").changes == [("+I", "a", Decimal("0.50"), Decimal("600.00"))]
