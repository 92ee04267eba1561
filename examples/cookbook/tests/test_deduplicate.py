"""An order passes once, and again when its id has not been seen for a day."""

from kafkastream.testing import JobTestDriver

DAY_MS = 24 * 60 * 60 * 1000


def test_an_id_passes_once_a_day() -> None:
    with JobTestDriver.of("examples/cookbook/deduplicate.py") as driver:
        for order in ('{"id": 1}', '{"id": 2}', '{"id": 1}'):
            driver.send("orders", order)
        assert driver.values("unique-orders") == [b'{"id": 1}', b'{"id": 2}']
        driver.advance(DAY_MS)
        driver.send("orders", '{"id": 1}')
        assert driver.values("unique-orders")[2:] == [b'{"id": 1}']
