"""Formats that pipelines read, each with its options and its reader."""
