"""PyFlink's ``pyflink.common.configuration``."""

from __future__ import annotations

from kafkastream.model.job.configuration import Configuration

__all__ = ["Configuration"]
