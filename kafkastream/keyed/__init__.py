"""Flink's operators on keyed streams, in plain Python: what they do with elements, watermarks, state and timers."""
