"""Around the cutover, an order counts either in the archive or in the topic."""

from kafkastream.testing import JobTestDriver


def test_an_order_in_both_counts_once() -> None:
    with JobTestDriver.of("examples/cookbook/backfill_then_live.py") as driver:
        for time in ("2024-04-30 23:59:59", "2024-05-01 00:00:00"):
            driver.table("archive").send(("ann", time))
            driver.table("orders").send(("ann", time))
        assert driver.table("counts").changes == [("+I", "ann", 1), ("+U", "ann", 2)]
