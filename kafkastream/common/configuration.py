"""PyFlink's ``pyflink.common.configuration``."""

from __future__ import annotations

from kafkastream.spec.configuration import Configuration

__all__ = ["Configuration"]
