"""What mypy knows of tables that are declared without SQL."""

from __future__ import annotations

from typing_extensions import reveal_type

from kafkastream.common import ConfigOptions, Types
from kafkastream.table import DataTypes, FormatDescriptor, Schema, TableDescriptor

columns = Schema.new_builder().column("id", DataTypes.BIGINT().not_null()).column("n", "INT").primaryKey("id").build()
reveal_type(columns)  # reveals: Schema
reveal_type(DataTypes.ROW([DataTypes.FIELD("a", DataTypes.ARRAY(DataTypes.STRING()))]))  # reveals: DataType

Schema.new_builder().column("id", Types.LONG())  # error: expected "str | DataType"
Schema.new_builder().column_by_expression("c", 7)  # error: expected "str | Expression[Any]"
DataTypes.DECIMAL(10)  # error: Missing positional argument "scale"

rate = ConfigOptions.key("rows-per-second").long_type().default_value(10)
reveal_type(rate)  # reveals: Option[int]
reveal_type(ConfigOptions.key("topic").stringType().noDefaultValue())  # reveals: Option[str | None]

json = FormatDescriptor.for_format("json").option("ignore-parse-errors", True).build()
value_format = ConfigOptions.key("value.format").string_type().no_default_value()
orders = TableDescriptor.for_connector("kafka").schema(columns).option(rate, 7).format(json, value_format).build()
reveal_type(orders)  # reveals: TableDescriptor
reveal_type(orders.get_schema())  # reveals: Schema | None

TableDescriptor.for_connector("kafka").schema(columns._declared)  # error: expected "Schema"
TableDescriptor.for_connector("kafka").option("topic", [])  # error: expected "str | int
