"""Plans query trees: FROM, joins, GROUP BY, windows, top-N."""
