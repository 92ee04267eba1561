"""Inserts, updates and deletes reach the table of PostgreSQL as such."""

from decimal import Decimal

from kafkastream.testing import JobTestDriver

CUP, MUG = (1, "cup", Decimal("3.50")), (1, "mug", Decimal("4.00"))


def test_changes_reach_the_table() -> None:
    with JobTestDriver.of("examples/cookbook/cdc_to_postgres.py") as driver:
        for kind, row in (("+I", CUP), ("-U", CUP), ("+U", MUG), ("-D", MUG)):
            driver.table("changes").send(row, kind=kind)
        assert driver.table("orders").changes == [("+I", *CUP), ("+U", *MUG), ("-D", *MUG)]
