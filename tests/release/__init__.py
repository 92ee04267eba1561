"""The check before a release, of its archives and of the wheel on each supported Python: ``make release-check``."""
