"""The catalog ``kafka``: each topic with JSON is a table, whose columns are inferred from messages."""
