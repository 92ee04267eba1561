"""The connector ``nexmark``: the persons, auctions and bids of the Nexmark benchmark."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import ClassVar, Final, final

import attrs

from kafkastream.sql.connectors.common_options import COMMON_OPTIONS, SCAN_PARALLELISM
from kafkastream.sql.connectors.generated import GeneratedTableSource, no_metadata
from kafkastream.sql.connectors.nexmark_options import (
    AUCTION_PROPORTION,
    AUCTION_SIZE,
    BASE_TIME,
    BID_PROPORTION,
    BID_SIZE,
    EVENTS_NUM,
    FIRST_EVENT_RATE,
    HOT_AUCTIONS,
    HOT_BIDDERS,
    HOT_SELLERS,
    MAX_EMIT_SPEED,
    PERSON_PROPORTION,
    PERSON_SIZE,
    WITHOUT_EFFECT,
)
from kafkastream.sql.option_group import OptionGroup
from kafkastream.sql.settings import options_of, read_settings, setting
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.sql.table import TableDefinition
from kafkastream.sql.table_options import TableOptions, did_you_mean
from kafkastream.sql.types import DataType

__all__ = ["NEXMARK", "NEXMARK_COLUMNS", "NexmarkTableSource", "nexmark_source"]

NEXMARK_COLUMNS: Final[Mapping[str, DataType]] = {
    "event_type": parse_type("INT"),
    "person": parse_type(
        "ROW<id BIGINT, name STRING, emailAddress STRING, creditCard STRING, city STRING, state STRING, "
        "`dateTime` TIMESTAMP(3), extra STRING>"
    ),
    "auction": parse_type(
        "ROW<id BIGINT, itemName STRING, description STRING, initialBid BIGINT, reserve BIGINT, "
        "`dateTime` TIMESTAMP(3), expires TIMESTAMP(3), seller BIGINT, category BIGINT, extra STRING>"
    ),
    "bid": parse_type(
        "ROW<auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, `dateTime` TIMESTAMP(3), "
        "extra STRING>"
    ),
}
"""Columns that a table may declare."""


@final
@attrs.frozen(kw_only=True)
class NexmarkTableSource(GeneratedTableSource):
    """Source of a table of Nexmark's events.

    Args:
        columns: Names of its physical columns.
    """

    engine_module: ClassVar[str] = "kafkastream.spark.plan.nexmark_events"

    connector: ClassVar[str] = "nexmark"
    limit_option: ClassVar[str] = EVENTS_NUM.key
    columns: tuple[str, ...]
    events: int = setting(EVENTS_NUM)
    rate: int = setting(FIRST_EVENT_RATE)
    is_fast: bool = setting(MAX_EMIT_SPEED)
    base_time: datetime.datetime = setting(BASE_TIME)
    persons: int = setting(PERSON_PROPORTION)
    auctions: int = setting(AUCTION_PROPORTION)
    bids: int = setting(BID_PROPORTION)
    person_size: int = setting(PERSON_SIZE)
    auction_size: int = setting(AUCTION_SIZE)
    bid_size: int = setting(BID_SIZE)
    hot_auctions: int = setting(HOT_AUCTIONS)
    hot_bidders: int = setting(HOT_BIDDERS)
    hot_sellers: int = setting(HOT_SELLERS)
    parallelism: int | None = setting(SCAN_PARALLELISM)

    @property
    def origin_text(self) -> str:
        """Return the same text for all tables of the connector."""
        return "events of Nexmark"

    @property
    def most(self) -> int | None:
        """Return the number of events; None without an end."""
        return self.events or None

    @property
    def base_time_ms(self) -> int:
        """Return the time of the first event, in ms since 1970."""
        return (self.base_time - datetime.datetime(1970, 1, 1)) // datetime.timedelta(milliseconds=1)  # noqa: DTZ001

    @property
    def pace(self) -> int | None:
        """Return the number of events per second; None if a bounded table is emitted at once."""
        return None if self.is_fast and self.events else self.rate


NEXMARK: Final = OptionGroup("nexmark", (*options_of(NexmarkTableSource), *WITHOUT_EFFECT), common=COMMON_OPTIONS)


def nexmark_source(definition: TableDefinition, environ: Mapping[str, str] | None = None) -> NexmarkTableSource:
    """Return the source of a table of the connector ``nexmark``.

    Raises:
        DefinitionError: An option is unknown or has a bad value; or a column is not one of Nexmark's.
        UnsupportedFeatureError: An option is not supported.
    """
    options = TableOptions.of(definition, environ)
    NEXMARK.check(options)
    no_metadata(options)
    _check_columns(options)
    for option in WITHOUT_EFFECT:
        options.get(option)
    columns = tuple(column.name for column in definition.schema.physical)
    return NexmarkTableSource(columns=columns, **read_settings(NexmarkTableSource, options.get))


def _check_columns(options: TableOptions) -> None:
    for column in options.definition.schema.physical:
        expected = NEXMARK_COLUMNS.get(column.name)
        if expected is None:
            raise options.column_refusal(
                f"Connector 'nexmark' has no column '{column.name}'. Its columns are {', '.join(NEXMARK_COLUMNS)}.",
                column.name,
                now=did_you_mean(column.name, NEXMARK_COLUMNS),
            )
        if column.type != expected:
            raise options.column_refusal(
                f"Column '{column.name}' of connector 'nexmark' is {expected}, not {column.type}.",
                column.name,
                now=f"Declare it as {expected}.",
            )
