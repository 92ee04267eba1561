"""Model of the user's program: frozen values that depend neither on SQL text nor on Spark nor on a Kafka client."""
