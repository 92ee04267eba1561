"""Events of the Nexmark benchmark."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

from kafkastream.spark.plan.nexmark_events import events
from kafkastream.sql.connectors import NexmarkTableSource
from kafkastream.sql.connectors.nexmark import NEXMARK_COLUMNS

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

SOURCE = NexmarkTableSource(columns=tuple(NEXMARK_COLUMNS), events=10_000, rate=100)
BEGIN = datetime.datetime.fromisoformat("2015-07-15")


def test_events_are_a_function_of_their_numbers(session: SparkSession) -> None:
    every = events(SOURCE, session.range(10_000)).collect()
    assert events(SOURCE, session.range(150, 250)).collect() == every[150:250]
    times = [next(part for part in row[1:] if part is not None)["dateTime"] for row in every]
    assert times == [BEGIN + datetime.timedelta(milliseconds=10 * number) for number in range(10_000)]
    assert [row.c0 for row in every[:50]] == [0, 1, 1, 1, *[2] * 46]
    assert all([part is not None for part in row[1:]] == [row.c0 == kind for kind in range(3)] for row in every)
    _check_ids([row.c1 for row in every if row.c1], [row.c2 for row in every if row.c2])
    _check_bids([row.c3 for row in every if row.c3])


def _check_ids(persons: list[Row], auctions: list[Row]) -> None:
    assert [person.id for person in persons] == list(range(1000, 1200))
    assert [auction.id for auction in auctions] == list(range(1000, 1600))
    assert 0.65 < sum(auction.seller in {1000, 1100} for auction in auctions) / 600 < 0.85
    assert {auction.category for auction in auctions} == {10, 11, 12, 13, 14}
    assert all(auction.reserve > auction.initialBid >= 100 for auction in auctions)
    assert all(auction.expires > auction.dateTime for auction in auctions)
    assert 180 < sum(len("".join(map(str, person))) for person in persons) / 200 < 240


def _check_bids(bids: list[Row]) -> None:
    assert 0.45 < sum(bid.auction % 100 == 0 for bid in bids) / len(bids) < 0.55
    assert 0.7 < sum(bid.bidder % 100 == 1 for bid in bids) / len(bids) < 0.8
    assert {bid.auction for bid in bids} <= set(range(1000, 1610))
    assert {bid.bidder for bid in bids} <= set(range(1000, 1210))
    assert all(100 <= bid.price <= 100_000_000 for bid in bids)
    named = [bid for bid in bids if bid.channel in {"Google", "Facebook", "Baidu", "Apple"}]
    assert 0.45 < len(named) / len(bids) < 0.55
    assert len({bid.url for bid in named}) == 4
    assert 0.85 < sum("channel_id=" in bid.url for bid in bids) / (len(bids) - len(named)) < 0.95
