"""Formats of files with rows or records."""
