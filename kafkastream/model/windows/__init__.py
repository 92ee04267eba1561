"""Windows of keyed streams: assigners, triggers, evictors and window functions, Flink's own and their interfaces."""
