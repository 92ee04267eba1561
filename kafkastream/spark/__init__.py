"""Spec to DataFrames to running queries; the only importer of pyspark."""
