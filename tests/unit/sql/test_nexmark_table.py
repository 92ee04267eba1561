"""Tables of the connector ``nexmark``."""

from __future__ import annotations

import pytest

from kafkastream.errors import DefinitionError, KafkastreamError, UnsupportedFeatureError
from kafkastream.sql.connectors import NexmarkTableSource, source_of
from kafkastream.sql.connectors.nexmark import NEXMARK_COLUMNS
from tests.unit.sql.tables import BIGINT, INT, at, metadata, physical, table

NEXMARK = {"connector": "nexmark"}
COLUMNS = tuple(physical(name, type_) for name, type_ in NEXMARK_COLUMNS.items())


def source(**options: str) -> NexmarkTableSource:
    given = {key.replace("__", "-").replace("_", "."): value for key, value in options.items()}
    made = source_of(table({**NEXMARK, **given}, COLUMNS))
    assert isinstance(made, NexmarkTableSource)
    return made


def test_defaults_are_those_of_nexmark() -> None:
    made = source()
    assert made.columns == ("event_type", "person", "auction", "bid")
    assert (made.persons, made.auctions, made.bids) == (1, 3, 46)
    assert (made.hot_auctions, made.hot_bidders, made.hot_sellers) == (2, 4, 4)
    assert (made.person_size, made.auction_size, made.bid_size) == (200, 500, 100)
    assert (made.most, made.pace, made.is_bounded) == (None, 10_000, False)


def test_a_bounded_table_is_emitted_at_once_unless_it_keeps_its_pace() -> None:
    made = source(events_num="25", first__event_rate="10")
    assert [made.within(second, second + 1) for second in range(2)] == [range(25), range(25, 25)]
    assert made.within(0, None) == range(25)
    made = source(events_num="25", first__event_rate="10", max__emit__speed="false")
    assert [len(made.within(second, second + 1)) for second in range(4)] == [10, 10, 5, 0]
    assert source(first__event_rate="10").within(3, 5) == range(30, 50)


def test_a_table_may_have_some_of_the_columns() -> None:
    made = source_of(table(NEXMARK, (COLUMNS[3], COLUMNS[0])))
    assert isinstance(made, NexmarkTableSource)
    assert made.columns == ("bid", "event_type")


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        ({"events.num": "-1"}, DefinitionError, "expected a whole number, or 0 for events without an end"),
        ({"bid.proportion": "0"}, DefinitionError, "expected a whole number greater than zero"),
        ({"base-time": "yesterday"}, DefinitionError, "expected a timestamp such as 2015-07-15 00:00:00"),
        ({"keep-alive": "true"}, UnsupportedFeatureError, "Leave it out"),
        ({"stop-at": "7"}, UnsupportedFeatureError, "Limit the events with 'events.num'."),
        ({"event.num": "7"}, DefinitionError, "Did you mean 'events.num'?"),
    ],
)
def test_wrong_options(options: dict[str, str], kind: type[KafkastreamError], text: str) -> None:
    with pytest.raises(kind) as caught:
        source_of(table({**NEXMARK, **options}, COLUMNS))
    assert text in str(caught.value)
    assert at({**NEXMARK, **options}, next(iter(options))) in str(caught.value)


def test_wrong_columns() -> None:
    with pytest.raises(DefinitionError, match="has no column 'persons'") as caught:
        source_of(table(NEXMARK, (physical("persons", INT),)))
    assert "Did you mean 'person'?" in str(caught.value)
    with pytest.raises(DefinitionError, match="Column 'event_type' of connector 'nexmark' is INT, not BIGINT"):
        source_of(table(NEXMARK, (physical("event_type", BIGINT),)))
    with pytest.raises(DefinitionError, match="declares metadata columns"):
        source_of(table(NEXMARK, (*COLUMNS, metadata("offset", BIGINT))))
