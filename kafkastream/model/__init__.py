"""Model of the user's program: frozen values that know neither text nor Spark nor a Kafka client."""
