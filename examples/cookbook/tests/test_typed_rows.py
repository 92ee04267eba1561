"""Records that do not fit the row type become dead letters, with the reason in their headers."""

from kafkastream.testing import JobTestDriver


def test_records_that_do_not_fit_become_dead_letters() -> None:
    with JobTestDriver.of("examples/cookbook/typed_rows.py") as driver:
        driver.send("orders", '{"id": 1, "prices": [3, 4.5]}')
        driver.send("orders", '{"id": 2}')
        assert driver.values("totals") == [b'{"id":1,"total":7.5}']
        [letter] = driver.topic("dead-orders")
        assert letter.value == b'{"id": 2}'
        assert ("kafkastream.error.reason", b"ValueError: field 'prices' is missing") in letter.headers
