"""The user's functions in Spark's expressions: Arrow columns come, and one goes back."""
