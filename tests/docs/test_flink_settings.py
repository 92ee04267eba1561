"""The page of what is supported lists Flink's settings that are not applied; run as a module, this writes the table."""

from __future__ import annotations

from kafkastream.options.flink_settings import find_setting
from kafkastream.options.ignored_settings import IGNORED_SETTINGS
from kafkastream.options.option import Option
from kafkastream.options.refused_settings import REFUSED_SETTINGS
from tests.docs.placed_table import DOCS, PlacedTable
from tests.names.test_flink_options import KEYS

TABLE = PlacedTable(DOCS / "support.md", "<!-- Made by tests/docs/test_flink_settings.py -->")


def table() -> str:
    """A row for each reason, with the keys that it applies to; refused ones first."""
    rows = [
        (settings.keys, "refused", f"{settings.reason} {settings.instead}{_but_for(settings.harmless)}")
        for settings in REFUSED_SETTINGS
    ]
    rows += [(settings.keys, "no effect", settings.reason) for settings in IGNORED_SETTINGS]
    return "| Setting | Status | Note |\n|---|---|---|\n" + "".join(
        f"| {', '.join(map(_pattern, keys))} | {status} | {note} |\n" for keys, status, note in rows
    )


def _but_for(harmless: tuple[str, ...]) -> str:
    values = " and ".join(f"`{value}`" for value in harmless if value)
    return f" Accepted: {values}." if values else ""


def _pattern(key: str) -> str:
    return f"`{key}`" if key[-1].isalnum() else f"`{key}*`"


def test_page_lists_every_applied_option_of_flink() -> None:
    page = TABLE.page.read_text(encoding="utf-8")
    applied = [key for key in KEYS if isinstance(find_setting(key), Option)]
    assert [key for key in applied if f"`{key}`" not in page] == []


def test_page_lists_the_settings_that_are_not_applied() -> None:
    assert TABLE.written == table()


if __name__ == "__main__":
    TABLE.write(table())
