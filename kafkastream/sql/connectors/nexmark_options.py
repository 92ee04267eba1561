"""Options of the connector ``nexmark``."""

from __future__ import annotations

import datetime
from typing import Any, Final

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.options.option import Option
from kafkastream.options.parsers import boolean, bytes_of_memory, integer, millis_of_duration, positive, text

__all__ = [
    "AUCTION_PROPORTION",
    "AUCTION_SIZE",
    "BASE_TIME",
    "BID_PROPORTION",
    "BID_SIZE",
    "EVENTS_NUM",
    "FIRST_EVENT_RATE",
    "HOT_AUCTIONS",
    "HOT_BIDDERS",
    "HOT_SELLERS",
    "MAX_EMIT_SPEED",
    "PERSON_PROPORTION",
    "PERSON_SIZE",
    "WITHOUT_EFFECT",
]

_BEGIN: Final = datetime.datetime(2015, 7, 15)  # noqa: DTZ001 - of UTC
"""Begin of the events of Nexmark in Beam."""


def timestamp(value: str) -> datetime.datetime:
    """Parse a timestamp without a zone.

    Example:
        >>> timestamp("2015-07-15 00:00:01.5")
        datetime.datetime(2015, 7, 15, 0, 0, 1, 500000)
    """
    try:
        return datetime.datetime.fromisoformat(value).replace(tzinfo=None)
    except ValueError:
        raise ValueError("expected a timestamp such as 2015-07-15 00:00:00") from None


def number_of_events(value: str) -> int:
    """Parse a number of events; 0 means no limit."""
    if (number := integer(value)) < 0:
        raise ValueError("expected a whole number, or 0 for events without an end")
    return number


def _never(value: str) -> bool:
    if boolean(value):
        raise UnsupportedFeatureError(
            "'true' is not supported here", now="Leave it out: the table ends with its events."
        )
    return False


def _nowhere(value: str) -> int:
    if (number := integer(value)) >= 0:
        raise UnsupportedFeatureError(f"{value!r} is not supported here", now="Limit the events with 'events.num'.")
    return number


EVENTS_NUM: Final = Option[int](
    key="events.num",
    parse=number_of_events,
    default=0,
    doc="Number of events; 0 for a table without an end.",
)
FIRST_EVENT_RATE: Final = Option[int](
    key="first-event.rate",
    parse=positive,
    default=10_000,
    doc="Events per second of event time, and per second of a table that is emitted at this pace.",
)
MAX_EMIT_SPEED: Final = Option[bool](
    key="max-emit-speed",
    parse=boolean,
    default=True,
    doc="Whether a bounded table is emitted at once; otherwise, and without an end, at `first-event.rate`.",
)
BASE_TIME: Final = Option[datetime.datetime](
    key="base-time",
    parse=timestamp,
    default=_BEGIN,
    doc="Event time of the first event. Nexmark's connector lacks it, and takes the time of the start.",
)
PERSON_PROPORTION: Final = Option[int](
    key="person.proportion", parse=positive, default=1, doc="Share of persons among the events."
)
AUCTION_PROPORTION: Final = Option[int](
    key="auction.proportion", parse=positive, default=3, doc="Share of auctions among the events."
)
BID_PROPORTION: Final = Option[int](
    key="bid.proportion", parse=positive, default=46, doc="Share of bids among the events."
)
PERSON_SIZE: Final = Option[int](
    key="person.avg-size", parse=bytes_of_memory, default=200, doc="Average size of a person, in bytes."
)
AUCTION_SIZE: Final = Option[int](
    key="auction.avg-size", parse=bytes_of_memory, default=500, doc="Average size of an auction, in bytes."
)
BID_SIZE: Final = Option[int](
    key="bid.avg-size", parse=bytes_of_memory, default=100, doc="Average size of a bid, in bytes."
)
HOT_AUCTIONS: Final = Option[int](
    key="bid.hot-ratio.auctions", parse=positive, default=2, doc="With n, all but one of n bids are for a hot auction."
)
HOT_BIDDERS: Final = Option[int](
    key="bid.hot-ratio.bidders", parse=positive, default=4, doc="With n, all but one of n bids are by a hot bidder."
)
HOT_SELLERS: Final = Option[int](
    key="auction.hot-ratio.sellers",
    parse=positive,
    default=4,
    doc="With n, all but one of n auctions are by a hot seller.",
)
WITHOUT_EFFECT: Final[tuple[Option[Any], ...]] = (
    Option[int](
        key="next-event.rate",
        parse=positive,
        default=10_000,
        doc="Later rate of events. No effect, as in Nexmark's connector.",
    ),
    Option[str](
        key="rate.shape",
        parse=text,
        default="SQUARE",
        doc="Shape of the rate. No effect, as in Nexmark's connector.",
    ),
    Option[int](
        key="rate.period",
        parse=millis_of_duration,
        default=600_000,
        doc="Period of the rate. No effect, as in Nexmark's connector.",
    ),
    Option[bool](
        key="rate.limited",
        parse=boolean,
        default=False,
        doc="Whether the rate is limited. No effect, as in Nexmark's connector.",
    ),
    Option[bool](
        key="keep-alive",
        parse=_never,
        default=False,
        doc="Whether the table continues after its last event. `true` is refused.",
    ),
    Option[int](
        key="stop-at",
        parse=_nowhere,
        default=-1,
        doc="Event at which the table stops. Refused: use `events.num`.",
    ),
)
"""Options that are only checked."""
