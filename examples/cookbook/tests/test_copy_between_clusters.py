"""Key, value, headers and time are copied."""

from datetime import datetime, timezone

from kafkastream.testing import JobTestDriver


def test_all_parts_of_a_record_are_copied() -> None:
    with JobTestDriver.of("examples/cookbook/copy_between_clusters.py") as driver:
        record = (b"k1", b"v1", {"trace": b"7"}, datetime(2024, 5, 1, 10, 0, tzinfo=timezone.utc))
        driver.table("here").send(record)
        driver.table("here").send((b"k1", None, {}, record[3]))
        assert driver.table("there").changes == [("+I", *record), ("+I", b"k1", None, {}, record[3])]
