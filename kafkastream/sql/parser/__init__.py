"""Parses queries to sqlglot trees, and refuses nodes that are not supported."""
