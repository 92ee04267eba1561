"""Flink's own window assigners, triggers and evictors."""
