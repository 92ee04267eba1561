"""Flink's operators with state, in plain Python; Spark runs them, one bucket of keys at a time.

``state`` keeps keyed state and timers; ``stream`` has the operators of keyed streams, ``table`` those of Flink SQL.
Begin with ``operator_factory``, which makes the operator of a node of the job graph.
"""
