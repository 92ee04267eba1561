"""Operators of keyed streams: process functions, windows, interval joins.

Begin with ``keyed_operators``, the base of all operators. Engine and ``operator_factory`` import this package.
"""
