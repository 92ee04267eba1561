"""Views in the accumulators of aggregate functions, at PyFlink's path."""

from kafkastream.sql.data_views import DataView, K, ListView, MapView, T, V

__all__ = [
    "DataView",
    "K",
    "ListView",
    "MapView",
    "T",
    "V",
]
