"""The cases are read by mypy, never run."""

collect_ignore = ["cases"]
