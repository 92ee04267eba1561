"""Operators of keyed streams: process functions, windows, interval joins.

Start reading at ``keyed_operators``, the base of all operators. The engine and ``operator_factory`` import this package.
"""
