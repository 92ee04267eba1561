"""The catalog ``kafka``: each topic of JSON messages is a table, with columns inferred from its messages."""
