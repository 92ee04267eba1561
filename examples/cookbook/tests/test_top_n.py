"""The items of a minute are ranked when it is over, equal ones by their names."""

from datetime import datetime

from kafkastream.testing import JobTestDriver


def test_items_are_ranked_when_the_minute_is_over() -> None:
    with JobTestDriver.of("examples/cookbook/top_n.py") as driver:
        for item in ("pen", "pad", "ink", "cup", "pen", "ink", "pen"):
            driver.table("sales").send((item, "2024-05-01 10:00:10"))
        assert driver.table("top_items").changes == []
        driver.table("sales").send(("cup", "2024-05-01 10:01:05"))
        minute = datetime(2024, 5, 1, 10, 0)
        assert driver.table("top_items").changes == [
            ("+I", minute, 1, "pen", 3),
            ("+I", minute, 2, "ink", 2),
            ("+I", minute, 3, "cup", 1),
        ]
