"""Functions with a context: of keyed streams, windows, joins and services, and the state that they keep."""
