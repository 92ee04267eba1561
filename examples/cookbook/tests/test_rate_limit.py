"""The fourth message of a user in a minute is refused."""

from kafkastream.testing import JobTestDriver


def test_the_fourth_message_of_a_minute_is_refused() -> None:
    with JobTestDriver.of("examples/cookbook/rate_limit.py") as driver:
        for second in (1, 2, 3, 4, 61):
            driver.send("messages", f"ann {second}", timestamp=second * 1000)
        driver.send("messages", "bob 4", timestamp=4_000)
        assert driver.values("passed") == [b"ann 1", b"ann 2", b"ann 3", b"ann 61", b"bob 4"]
        assert driver.values("refused") == [b"ann 4"]
