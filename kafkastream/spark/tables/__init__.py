"""SQL tables on Spark: their records as rows and back, in Spark's own expressions."""
