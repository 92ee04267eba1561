"""User functions that have a context (process, window, join, broadcast and asynchronous functions) and their keyed
state.

Begin with ``process_functions`` and ``keyed_state``; ``kafkastream.datastream`` re-exports the public names.
"""
