"""A job that runs for an hour while everything that could leak is measured: ``make soak``."""
