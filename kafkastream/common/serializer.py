"""Serializers, at PyFlink's path."""

from __future__ import annotations

from kafkastream.model.windows.window_serializers import T, TypeSerializer, VoidNamespaceSerializer

__all__ = [
    "T",
    "TypeSerializer",
    "VoidNamespaceSerializer",
]
