"""Flink's stateful operators in plain Python; Spark runs them, one bucket of keys at a time.

``state`` has keyed state and timers, ``stream`` the operators of keyed streams, ``table`` the operators of Flink SQL.
Start reading at ``operator_factory``, which creates the operator of a node of the job graph.
"""
