"""Letters of the source are corrected and written again; those of other operators are left."""

from kafkastream.testing import JobTestDriver


def test_letters_of_the_source_are_corrected() -> None:
    with JobTestDriver.of("examples/cookbook/replay_dead_letters.py") as driver:
        for operator in (b"orders", b"totals"):
            headers = {"kafkastream.error.operator": operator}
            driver.table("letters").send({"k": b"k", "v": "{'id': 1}", "headers": headers, "ts": "2024-05-01 10:00:00"})
        assert [change[:3] for change in driver.table("orders").changes] == [("+I", b"k", '{"id": 1}')]
