"""``pyflink.util``: its exceptions, and helpers for Java objects, which are refused."""
