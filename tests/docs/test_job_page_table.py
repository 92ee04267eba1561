"""The page of the job page: its table of options; run as a program, it writes the table anew."""

from __future__ import annotations

from typing import Final

from kafkastream.options.rest import REST_OPTIONS
from kafkastream.options.tables import markdown_table
from tests.docs.placed_table import DOCS, PlacedTable

TABLE: Final = PlacedTable(DOCS / "job-page.md", "<!-- The table is made by tests/docs/test_job_page_table.py. -->")


def test_options_are_the_declared_ones() -> None:
    assert TABLE.written == markdown_table(REST_OPTIONS)


if __name__ == "__main__":
    TABLE.write(markdown_table(REST_OPTIONS))
