"""Transform and route rules of a pipeline."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Mapping
from typing import Final, final

import attrs

from kafkastream.cdc.patterns import TablePattern
from kafkastream.cdc.tables import TableId
from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.options.option import Option
from kafkastream.options.parsers import enum_member, list_of, text
from kafkastream.secret_masking import redacted
from kafkastream.sql.settings import OPTION, setting

__all__ = [
    "SINK_TABLE",
    "SOURCE_TABLE",
    "TABLE_OPTIONS",
    "TABLE_OPTIONS_DELIMITER",
    "AfterTransform",
    "RouteRule",
    "TransformRule",
    "first_transform",
    "table_options",
]

_GROUP: Final = re.compile(r"\\(?P<escaped>.)|\$(?P<number>\d+)|(?P<bad>\$)")


class AfterTransform(enum.Enum):
    """Converters of changes after a transform."""

    SOFT_DELETE = "SOFT_DELETE"


def _pattern(value: str | TablePattern) -> TablePattern:
    return value if isinstance(value, TablePattern) else TablePattern(value)


_COLUMNS: Final = list_of(text, separator=",")


def _columns(value: Iterable[str]) -> tuple[str, ...]:
    return _COLUMNS(value) if isinstance(value, str) else tuple(value)


def _projection(value: str) -> str:
    # A plain scalar of YAML cannot begin with an asterisk, which marks an alias, so documents write a backslash before it.
    return value.replace(r"\*", "*").strip()


def table_options(value: str, delimiter: str = ",") -> Mapping[str, str]:
    """Parse ``k1=v1,k2=v2``.

    Args:
        value: Pairs.
        delimiter: Separator of the pairs.

    Raises:
        ValueError: A pair has no ``=``.
    """
    pairs = [pair.partition("=") for pair in value.split(delimiter) if pair.strip()]
    if bad := next((key for key, equals, _ in pairs if not equals or not key.strip()), None):
        raise ValueError(f"expected pairs like key=value, separated by {delimiter!r}, not {bad.strip()!r}")
    return FrozenMap({key.strip(): given.strip() for key, _, given in pairs})


def _text(key: str, doc: str) -> Option[str]:
    return Option(key=key, parse=text, default="", doc=doc)


SOURCE_TABLE: Final = Option[TablePattern | None](
    key="source-table",
    parse=TablePattern,
    default=None,
    doc="Patterns of tables, separated by `,`: ids such as `db.table`, with `\\.` for the dot of a regular expression.",
)
PROJECTION: Final = Option[str](
    key="projection",
    parse=_projection,
    default="",
    doc="Columns, as after SELECT; a leading `*` is written `\\*`. By default, all columns unchanged.",
)
FILTER: Final = _text(
    "filter", "Condition on rows to keep, as after WHERE; it may use columns that the projection computes."
)
PRIMARY_KEYS: Final = Option[tuple[str, ...]](
    key="primary-keys", parse=_COLUMNS, default=(), doc="Columns of the primary key, separated by `,`."
)
PARTITION_KEYS: Final = Option[tuple[str, ...]](
    key="partition-keys",
    parse=_COLUMNS,
    default=(),
    doc="Columns by which the sink partitions the table, separated by `,`.",
)
TABLE_OPTIONS: Final = Option[Mapping[str, str]](
    key="table-options",
    parse=table_options,
    default=FrozenMap(),
    doc="Options of the sink for these tables: `k1=v1,k2=v2`.",
)
TABLE_OPTIONS_DELIMITER: Final = Option[str](
    key="table-options.delimiter", parse=text, default=",", doc="Separator of the pairs of `table-options`."
)
AFTER_TRANSFORM: Final = Option[AfterTransform | None](
    key="converter-after-transform",
    parse=enum_member(AfterTransform),
    default=None,
    doc="`SOFT_DELETE`: deletes become inserts; select `__data_event_type__` to distinguish them.",
)
DESCRIPTION: Final = _text("description", "A note for readers.")
SINK_TABLE: Final = _text("sink-table", "Target of the rows; `$1` is the match of the first group in `source-table`.")
REPLACE_SYMBOL: Final = Option[str | None](
    key="replace-symbol",
    parse=text,
    default=None,
    doc="Symbol in `sink-table` that is replaced by the name of the source table, such as `<>`.",
)


@final
@attrs.frozen(kw_only=True)
class TransformRule:
    r"""Transformation of some tables' rows; the first rule that selects a table counts.

    A rule with a filter is the last that may select a table (``first_transform``).

    Raises:
        DefinitionError: The rule selects no table.

    Example:
        >>> TransformRule(source_table=r"shop.\.*", primary_keys="id").primary_keys
        ('id',)
    """

    source_table: TablePattern = attrs.field(converter=_pattern, metadata={OPTION: SOURCE_TABLE})
    projection: str = attrs.field(default="", converter=_projection, metadata={OPTION: PROJECTION})
    filter: str = setting(FILTER)
    primary_keys: tuple[str, ...] = attrs.field(default=(), converter=_columns, metadata={OPTION: PRIMARY_KEYS})
    partition_keys: tuple[str, ...] = attrs.field(default=(), converter=_columns, metadata={OPTION: PARTITION_KEYS})
    table_options: Mapping[str, str] = attrs.field(
        default=FrozenMap(), converter=FrozenMap[str, str], repr=redacted, metadata={OPTION: TABLE_OPTIONS}
    )
    after_transform: AfterTransform | None = setting(AFTER_TRANSFORM)
    description: str = attrs.field(default="", eq=False, metadata={OPTION: DESCRIPTION})


def first_transform(rules: Iterable[TransformRule], table: TableId) -> TransformRule | None:
    r"""Return the first rule that selects a table, or None.

    Released versions of Flink CDC apply the first rule whose filter a row passes, newer ones only the first rule: if
    rows that its filter drops would go to another rule, the pipeline is refused.

    Raises:
        UnsupportedFeatureError: The rule has a filter, and another one selects the table, too.

    Example:
        >>> rules = [TransformRule(source_table="shop.orders"), TransformRule(source_table=r"shop.\.*")]
        >>> first_transform(rules, TableId.parse("shop.customers")) is rules[1]
        True
    """
    selecting = [rule for rule in rules if rule.source_table.selects(table)]
    if len(selecting) > 1 and selecting[0].filter:
        raise UnsupportedFeatureError(
            f"several transform rules select the table {table}, and the first has a filter: rows that it drops would "
            f"never reach the rule of {selecting[1].source_table.text!r}",
            where=f"transform, source-table {selecting[0].source_table.text}",
            now="Write one rule for the table, whose projection distinguishes the rows by CASE, or a pipeline for each.",
        )
    return selecting[0] if selecting else None


@final
@attrs.frozen(kw_only=True)
class RouteRule:
    r"""Route of some tables' rows to a sink table.

    Raises:
        DefinitionError: The target is missing, refers to a group that does not exist, or has both groups and a replace
            symbol.

    Example:
        >>> rule = RouteRule(source_table=r"db_(\.*).(\.*)_t", sink_table="x_$1.y_$2")
        >>> str(rule.target(TableId.parse("db_a.b_t")))
        'x_a.y_b'
    """

    source_table: TablePattern = attrs.field(converter=_pattern, metadata={OPTION: SOURCE_TABLE})
    sink_table: str = attrs.field(metadata={OPTION: SINK_TABLE})
    replace_symbol: str | None = setting(REPLACE_SYMBOL)
    description: str = attrs.field(default="", eq=False, metadata={OPTION: DESCRIPTION})

    def __attrs_post_init__(self) -> None:
        if not self.sink_table.strip():
            raise DefinitionError("a route rule has no 'sink-table'")
        if self.replace_symbol == "":
            raise DefinitionError("the 'replace-symbol' of a route rule is empty")
        if self.replace_symbol is None:
            _check_groups(self.sink_table, self.source_table.groups)
            TableId.parse(self.sink_table)

    @property
    def fixed_target(self) -> TableId | None:
        """Target of all tables that the rule matches; None if it depends on their names."""
        if self.replace_symbol is not None or any(part["number"] for part in _GROUP.finditer(self.sink_table)):
            return None
        return TableId.parse(_GROUP.sub(lambda part: part["escaped"], self.sink_table))

    def target(self, table: TableId) -> TableId | None:
        """Return the target of a table; None if the rule does not match it."""
        found = self.source_table.match(table)
        if found is None:
            return None
        if self.replace_symbol is not None:
            return TableId.parse(self.sink_table.replace(self.replace_symbol, table.table))
        return TableId.parse(_GROUP.sub(lambda part: _replacement(part, found), self.sink_table))


def _check_groups(sink_table: str, groups: int) -> None:
    for part in _GROUP.finditer(sink_table):
        if part["bad"]:
            raise DefinitionError(f"'$' in the sink table {sink_table!r} is followed by no number of a group")
        if part["number"] and int(part["number"][0]) > groups:
            raise DefinitionError(
                f"the sink table {sink_table!r} refers to group {part['number'][0]}, "
                f"and the pattern of the source table has {groups or 'none'}"
            )


def _replacement(part: re.Match[str], found: re.Match[str]) -> str:
    if part["escaped"]:
        return part["escaped"]
    digits = part["number"]
    # As in Java's Matcher.appendReplacement, $12 is group 1 followed by a 2 if there are fewer than twelve groups:
    # https://github.com/openjdk/jdk/blob/master/src/java.base/share/classes/java/util/regex/Matcher.java
    length = max((n for n in range(1, len(digits) + 1) if int(digits[:n]) <= found.re.groups), default=1)
    return (found[int(digits[:length])] or "") + digits[length:]
