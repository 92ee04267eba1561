"""Text of queries to trees, every node of which is one that is known."""
