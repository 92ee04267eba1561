"""``Configuration``, at PyFlink's path."""

from __future__ import annotations

from kafkastream.model.job.configuration import Configuration

__all__ = ["Configuration"]
