"""Serializers, at PyFlink's path."""

from __future__ import annotations

from kafkastream.spec.serializer import T, TypeSerializer, VoidNamespaceSerializer

__all__ = [
    "T",
    "TypeSerializer",
    "VoidNamespaceSerializer",
]
