"""Rows of ``nexmark`` tables: each event is a function of its number, computed by Spark expressions.

Proportions, ids, hot keys, prices and times follow Nexmark's generator, with hashes of the event's number instead of
its random numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

import attrs
from pyspark.sql import Column, DataFrame, functions

from kafkastream.spark.plan.row_numbers import row_numbers
from kafkastream.spark.plan.source_rows import ScanPlace, source_rows
from kafkastream.spark.sql.formats.spark_types import spark_type
from kafkastream.sql.connectors import NexmarkTableSource
from kafkastream.sql.connectors.nexmark import NEXMARK_COLUMNS

__all__ = ["events"]

_FIRST_ID: Final = 1000
_FIRST_CATEGORY: Final = 10
_CATEGORIES: Final = 5
_HOT_BATCH: Final = 100
_LEAD: Final = 10
"""Number of ids that bids and auctions may name before their events."""
_ACTIVE_PERSONS: Final = 1000
_AUCTIONS_IN_FLIGHT: Final = 100
_CHANNELS: Final = 10_000
_SHORTEST: Final = 3
_FIRST_NAMES: Final = ("Peter", "Paul", "Luke", "John", "Saul", "Vicky", "Kate", "Julie", "Sarah", "Deiter", "Walter")
_LAST_NAMES: Final = ("Shultz", "Abrams", "Spencer", "White", "Bartels", "Walton", "Smith", "Jones", "Noris")
_CITIES: Final = (
    "Phoenix", "Los Angeles", "San Francisco", "Boise", "Portland", "Bend", "Redmond", "Seattle", "Kent", "Cheyenne",
)  # fmt: skip
_STATES: Final = ("AZ", "CA", "ID", "OR", "WA", "WY")
_HOT_CHANNELS: Final = ("Google", "Facebook", "Baidu", "Apple")
_HEX: Final = "0123456789ABCDEF"
_LETTERS: Final = "abcdefghijklmno"
_HASH_DIGITS: Final = 16


def events(source: NexmarkTableSource, rows: DataFrame) -> DataFrame:
    """Return the columns of a table, ``c0``, ``c1`` and so on, for some events.

    Args:
        source: The table.
        rows: Event numbers, counted from 0, in the column ``id``.
    """
    proportions = f"{source.persons + source.auctions + source.bids}L"
    placed = rows.selectExpr("id", f"id DIV {proportions} AS epoch", f"id % {proportions} AS place")
    formulas = _Formulas(source)
    known = placed.selectExpr(
        "id",
        f"CASE WHEN place < {source.persons} THEN 0 WHEN place < {source.persons + source.auctions} THEN 1 ELSE 2 END "
        "AS event_type",
        f"{formulas.last_person} AS last_person",
        f"{formulas.last_auction} AS last_auction",
        f"{formulas.time_ms('id')} AS ms",
    )
    made = known.select(
        "id",
        "event_type",
        *(
            functions.expr(f"CASE WHEN event_type = {kind} THEN {struct} END").alias(name)
            for kind, (name, struct) in enumerate(formulas.structs.items())
        ),
    )
    whole = made.withColumns({name: _filled(name, size) for name, size in formulas.sizes.items()})
    columns = (functions.col(name).cast(spark_type(NEXMARK_COLUMNS[name])) for name in source.columns)
    return whole.select(*(column.alias(f"c{place}") for place, column in enumerate(columns)))


@source_rows.register
def _rows(source: NexmarkTableSource, place: ScanPlace) -> DataFrame:
    rows = events(source, row_numbers(source, place, source.parallelism or 1))
    return rows.withColumn("__source", functions.lit(place.node))


@final
@attrs.frozen
class _Formulas:
    """Spark SQL of the parts of events."""

    source: NexmarkTableSource

    @property
    def last_person(self) -> str:
        """Return the newest person's number at an event, its own included."""
        return f"epoch * {self.source.persons} + least(place, {self.source.persons - 1})"

    @property
    def last_auction(self) -> str:
        """Return the newest auction's number at an event, its own included; -1 before the first."""
        persons, auctions = self.source.persons, self.source.auctions
        return (
            f"epoch * {auctions} + CASE WHEN place < {persons} THEN -1 "
            f"ELSE least(place - {persons}, {auctions - 1}) END"
        )

    def time_ms(self, number: str) -> str:
        """Return the event time of an event, in ms since 1970."""
        return f"{self.source.base_time_ms}L + CAST({number} * {1_000_000 / self.source.rate!r}D AS BIGINT) DIV 1000"

    @property
    def structs(self) -> dict[str, str]:
        """Return persons, auctions and bids without their ``extra``."""
        return {"person": self._person, "auction": self._auction, "bid": self._bid}

    @property
    def sizes(self) -> dict[str, tuple[int, int, Sequence[str]]]:
        """Return the average size of each kind, the size of its numbers, in bytes, and its texts."""
        texts = ("name", "emailAddress", "creditCard", "city", "state")
        return {
            "person": (self.source.person_size, 8, texts),
            "auction": (self.source.auction_size, 48, ("itemName", "description")),
            "bid": (self.source.bid_size, 32, ()),
        }

    @property
    def _person(self) -> str:
        card = ", ' ', ".join(f"lpad({_below(f'card{part}', '10000')}, 4, '0')" for part in range(4))
        return _struct(
            id=f"last_person + {_FIRST_ID}",
            name=f"concat({_one_of('first', _FIRST_NAMES)}, ' ', {_one_of('last', _LAST_NAMES)})",
            emailAddress=f"concat({_word('mailbox', 7)}, '@', {_word('host', 5)}, '.com')",
            creditCard=f"concat({card})",
            city=_one_of("city", _CITIES),
            state=_one_of("state", _STATES),
            dateTime=_timestamp("ms"),
        )

    @property
    def _auction(self) -> str:
        ahead = _AUCTIONS_IN_FLIGHT * (self.source.persons + self.source.auctions + self.source.bids)
        horizon = f"({self.time_ms(f'(id + {ahead // self.source.auctions})')} - ms)"
        return _struct(
            id=f"last_auction + {_FIRST_ID}",
            itemName=_word("item", 20),
            description=_word("description", 100),
            initialBid=_price("initial"),
            reserve=f"{_price('initial')} + {_price('reserve')}",
            dateTime=_timestamp("ms"),
            expires=_timestamp(f"(ms + 1 + {_below('length', f'greatest(2 * {horizon}, 1)')})"),
            seller=self._hot_person("seller", self.source.hot_sellers, 0),
            category=f"{_FIRST_CATEGORY} + {_below('category', str(_CATEGORIES))}",
        )

    @property
    def _bid(self) -> str:
        since = f"greatest(last_auction - {_AUCTIONS_IN_FLIGHT}, 0)"
        other = f"{since} + {_below('auction', f'(last_auction - {since} + {1 + _LEAD})')}"
        hot = f"last_auction DIV {_HOT_BATCH} * {_HOT_BATCH}"
        is_hot = f"{_below('channel kind', '2')} > 0"
        hot_channel = _below("hot channel", str(len(_HOT_CHANNELS)))
        channel = _below("channel", str(_CHANNELS))
        number = f"CASE WHEN {is_hot} THEN -1 - {hot_channel} ELSE {channel} END"
        return _struct(
            auction=f"{_FIRST_ID} + {_hot('hot auction', self.source.hot_auctions, hot, other)}",
            bidder=self._hot_person("bidder", self.source.hot_bidders, 1),
            price=_price("price"),
            channel=f"CASE WHEN {is_hot} THEN {_one_of('hot channel', _HOT_CHANNELS)} "
            f"ELSE concat('channel-', {channel}) END",
            url=_url(f"({number})"),
            dateTime=_timestamp("ms"),
        )

    def _hot_person(self, name: str, ratio: int, hot: int) -> str:
        """Return the id of a person: mostly a certain one of the last hundred, otherwise any active one."""
        active = f"least(last_person + 1, {_ACTIVE_PERSONS})"
        other = f"last_person + 1 - {active} + {_below(name, f'({active} + {_LEAD})')}"
        return (
            f"{_FIRST_ID} + {_hot(f'hot {name}', ratio, f'last_person DIV {_HOT_BATCH} * {_HOT_BATCH} + {hot}', other)}"
        )


def _filled(name: str, size: tuple[int, int, Sequence[str]]) -> Column:
    """Return events with an ``extra`` that gives them their average size."""
    average, numbers, texts = size
    missing = " - ".join([f"{average - numbers}", *(f"length({name}.{text})" for text in texts)])
    spread = f"CAST(round(({missing}) * 0.2) AS BIGINT)"
    length = f"(({missing}) - {spread} + {_below('extra', f'greatest(2 * {spread}, 1)')})"
    extra = f"CASE WHEN {missing} > 0 THEN {_letters('extra', length, 2 * average, _LETTERS + 'p')} ELSE '' END"
    return functions.col(name).withField("extra", functions.expr(extra))


def _struct(**fields: str) -> str:
    parts = ", ".join(f"'{name}', {value}" for name, value in fields.items())
    return f"named_struct({parts})"


def _hash(name: str, *more: str) -> str:
    """Return a hash of the event's number, another one for each name."""
    return f"xxhash64({', '.join(('id', repr(name), *more))})"


def _below(name: str, most: str) -> str:
    """Return a whole number from 0 to below another one."""
    return f"pmod({_hash(name)}, {most})"


def _one_of(name: str, texts: Sequence[str]) -> str:
    return f"element_at(array({', '.join(map(repr, texts))}), CAST(1 + {_below(name, str(len(texts)))} AS INT))"


def _hot(name: str, ratio: int, hot: str, other: str) -> str:
    return f"CASE WHEN {_below(name, str(ratio))} > 0 THEN {hot} ELSE {other} END"


def _price(name: str) -> str:
    """Return a price from 100 to 100,000,000, evenly distributed by its logarithm."""
    return f"CAST(round(pow(10D, shiftrightunsigned({_hash(name)}, 11) / {2**53}D * 6D) * 100D) AS BIGINT)"


def _letters(name: str, length: str, most: int, letters: str) -> str:
    """Return random letters.

    Args:
        name: Name of the text.
        length: Spark SQL of its length.
        most: Maximum length.
        letters: Sixteen letters, one for each digit of a hash.
    """
    parts = ", ".join(f"hex({_hash(name, str(part))})" for part in range(most // _HASH_DIGITS + 1))
    return f"translate(substring(concat({parts}), 1, CAST({length} AS INT)), '{_HEX}', '{letters}')"


def _word(name: str, most: int) -> str:
    """Return random words of 3 to below ``most`` letters."""
    length = f"{_SHORTEST} + {_below(f'length of {name}', str(most - _SHORTEST))}"
    return f"trim({_letters(name, length, most, _LETTERS + ' ')})"


def _url(channel: str) -> str:
    """Return the address of a channel: nine of ten that are not hot have an id."""
    folders = ", '/', ".join(
        f"translate(substring(hex(xxhash64({channel}, 'folder{part}')), -4), '{_HEX}', '{_LETTERS}_')"
        for part in range(3)
    )
    has_id = f"{channel} >= 0 AND pmod(xxhash64({channel}, 'id'), 10) > 0"
    ended = f"CASE WHEN {has_id} THEN concat('&channel_id=', pmod(xxhash64({channel}), {2**31})) ELSE '' END"
    return f"concat('https://www.nexmark.com/', {folders}, '/item.htm?query=1', {ended})"


def _timestamp(ms: str) -> str:
    return f"timestampadd(MILLISECOND, {ms}, TIMESTAMP_NTZ'1970-01-01 00:00:00')"
