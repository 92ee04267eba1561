"""Operators of keyed streams: process functions, windows, interval joins."""
