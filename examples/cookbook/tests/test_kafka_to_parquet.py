"""The day of a record is its partition in the archive."""

from kafkastream.testing import JobTestDriver


def test_records_are_archived_by_their_day() -> None:
    with JobTestDriver.of("examples/cookbook/kafka_to_parquet.py") as driver:
        driver.table("orders").send((1, "cup", "2024-05-01 23:59:59"))
        driver.table("orders").send((2, "mug", "2024-05-02 00:00:00"))
        assert driver.table("archive").changes == [("+I", 1, "cup", "2024-05-01"), ("+I", 2, "mug", "2024-05-02")]
