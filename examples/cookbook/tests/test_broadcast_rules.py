"""A rule applies to the payments after it, and to those of its micro-batch."""

from kafkastream.testing import JobTestDriver

PAYMENT, LIMIT = '{"country": "NO", "amount": 70}', '{"country": "NO", "limit": 50.0}'


def test_a_limit_applies_from_its_micro_batch_on() -> None:
    with JobTestDriver.of("examples/cookbook/broadcast_rules.py") as driver:
        driver.send("payments", PAYMENT)
        assert driver.values("flagged") == []
        with driver.micro_batch():
            driver.send("payments", PAYMENT)
            driver.send("limits", LIMIT)
        driver.send("payments", PAYMENT)
        assert driver.values("flagged") == [b'{"country": "NO", "amount": 70, "limit": 50.0}'] * 2
