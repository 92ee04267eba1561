"""The result of an order is corrected when its customer comes, moves and is deleted."""

from kafkastream.testing import JobTestDriver


def test_deliveries_follow_the_customer() -> None:
    with JobTestDriver.of("examples/cookbook/regular_join.py") as driver:
        driver.table("orders").send((1, "ann"))
        results = driver.table("deliveries").changes
        for kind, city in (("+U", "Oslo"), ("+U", "Bonn"), ("-D", None)):  # the last one is a tombstone
            driver.table("customers").send(("ann", city), kind=kind)
            results.append(driver.table("deliveries").changes[-1])
        assert results == [("+I", 1, "ann", city) for city in (None, "Oslo", "Bonn", None)]
