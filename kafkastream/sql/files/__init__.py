"""Files of rows: what is written to them, and what they hold."""
