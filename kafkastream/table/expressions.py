"""Factories of the Table API's expressions, at PyFlink's path: importable, and refused when they are used."""

from __future__ import annotations

from kafkastream.model.common.stand_ins import QUERY, stand_in
from kafkastream.table.expression import Expression

__all__ = [
    "CURRENT_RANGE",
    "CURRENT_ROW",
    "UNBOUNDED_RANGE",
    "UNBOUNDED_ROW",
    "Expression",
    "and_",
    "array",
    "atan2",
    "call",
    "call_sql",
    "coalesce",
    "col",
    "concat",
    "concat_ws",
    "convert_tz",
    "current_database",
    "current_date",
    "current_time",
    "current_timestamp",
    "current_watermark",
    "date_format",
    "e",
    "from_unixtime",
    "if_then_else",
    "json",
    "json_array",
    "json_array_agg",
    "json_object",
    "json_object_agg",
    "json_string",
    "lag",
    "lead",
    "lit",
    "local_time",
    "local_timestamp",
    "log",
    "map_",
    "map_from_arrays",
    "negative",
    "not_",
    "null_of",
    "object_of",
    "or_",
    "pi",
    "rand",
    "rand_integer",
    "range_",
    "row",
    "row_interval",
    "source_watermark",
    "temporal_overlaps",
    "timestamp_diff",
    "to_date",
    "to_timestamp",
    "to_timestamp_ltz",
    "unix_timestamp",
    "uuid",
    "with_all_columns",
    "with_columns",
    "without_columns",
]

CURRENT_RANGE = stand_in(__name__, "CURRENT_RANGE", QUERY)
CURRENT_ROW = stand_in(__name__, "CURRENT_ROW", QUERY)
UNBOUNDED_RANGE = stand_in(__name__, "UNBOUNDED_RANGE", QUERY)
UNBOUNDED_ROW = stand_in(__name__, "UNBOUNDED_ROW", QUERY)
and_ = stand_in(__name__, "and_", QUERY)
array = stand_in(__name__, "array", QUERY)
atan2 = stand_in(__name__, "atan2", QUERY)
call = stand_in(__name__, "call", QUERY)
call_sql = stand_in(__name__, "call_sql", QUERY)
coalesce = stand_in(__name__, "coalesce", QUERY)
col = stand_in(__name__, "col", QUERY)
concat = stand_in(__name__, "concat", QUERY)
concat_ws = stand_in(__name__, "concat_ws", QUERY)
convert_tz = stand_in(__name__, "convert_tz", QUERY)
current_database = stand_in(__name__, "current_database", QUERY)
current_date = stand_in(__name__, "current_date", QUERY)
current_time = stand_in(__name__, "current_time", QUERY)
current_timestamp = stand_in(__name__, "current_timestamp", QUERY)
current_watermark = stand_in(__name__, "current_watermark", QUERY)
date_format = stand_in(__name__, "date_format", QUERY)
e = stand_in(__name__, "e", QUERY)
from_unixtime = stand_in(__name__, "from_unixtime", QUERY)
if_then_else = stand_in(__name__, "if_then_else", QUERY)
json = stand_in(__name__, "json", QUERY)
json_array = stand_in(__name__, "json_array", QUERY)
json_array_agg = stand_in(__name__, "json_array_agg", QUERY)
json_object = stand_in(__name__, "json_object", QUERY)
json_object_agg = stand_in(__name__, "json_object_agg", QUERY)
json_string = stand_in(__name__, "json_string", QUERY)
lag = stand_in(__name__, "lag", QUERY)
lead = stand_in(__name__, "lead", QUERY)
lit = stand_in(__name__, "lit", QUERY)
local_time = stand_in(__name__, "local_time", QUERY)
local_timestamp = stand_in(__name__, "local_timestamp", QUERY)
log = stand_in(__name__, "log", QUERY)
map_ = stand_in(__name__, "map_", QUERY)
map_from_arrays = stand_in(__name__, "map_from_arrays", QUERY)
negative = stand_in(__name__, "negative", QUERY)
not_ = stand_in(__name__, "not_", QUERY)
null_of = stand_in(__name__, "null_of", QUERY)
object_of = stand_in(__name__, "object_of", QUERY)
or_ = stand_in(__name__, "or_", QUERY)
pi = stand_in(__name__, "pi", QUERY)
rand = stand_in(__name__, "rand", QUERY)
rand_integer = stand_in(__name__, "rand_integer", QUERY)
range_ = stand_in(__name__, "range_", QUERY)
row = stand_in(__name__, "row", QUERY)
row_interval = stand_in(__name__, "row_interval", QUERY)
source_watermark = stand_in(__name__, "source_watermark", QUERY)
temporal_overlaps = stand_in(__name__, "temporal_overlaps", QUERY)
timestamp_diff = stand_in(__name__, "timestamp_diff", QUERY)
to_date = stand_in(__name__, "to_date", QUERY)
to_timestamp = stand_in(__name__, "to_timestamp", QUERY)
to_timestamp_ltz = stand_in(__name__, "to_timestamp_ltz", QUERY)
unix_timestamp = stand_in(__name__, "unix_timestamp", QUERY)
uuid = stand_in(__name__, "uuid", QUERY)
with_all_columns = stand_in(__name__, "with_all_columns", QUERY)
with_columns = stand_in(__name__, "with_columns", QUERY)
without_columns = stand_in(__name__, "without_columns", QUERY)
