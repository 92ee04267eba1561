"""Trees of queries to plans: FROM, joins, GROUP BY, windows, top-N."""
