"""A version writes to a topic of its own, and continues from a snapshot; totals are visible after a checkpoint."""

from kafkastream.testing import JobTestDriver

JOB = "examples/cookbook/blue_green.py"


def test_a_version_has_its_own_topic_and_continues_from_its_state() -> None:
    with JobTestDriver.of(JOB, "--version", "green") as driver:
        driver.send("orders", "ann 3")
        assert driver.values("totals-green") == []
        driver.advance(1000)  # the checkpoint interval of the job
        assert driver.values("totals-green") == [b"ann 3"]
        snapshot = driver.snapshot()
    with JobTestDriver.of(JOB, "--version", "green", restored=snapshot) as driver:
        driver.send("orders", "ann 5")
        driver.checkpoint()
        assert driver.values("totals-green") == [b"ann 8"]
