"""The job graph that a program has built, and its execution plan."""
