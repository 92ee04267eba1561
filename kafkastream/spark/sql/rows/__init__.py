"""Rows between Spark's expressions and operators with state: what they are on the wire, and who takes them there."""
