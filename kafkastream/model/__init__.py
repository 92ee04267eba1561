"""What the user meant: frozen values that know neither text nor Spark nor a Kafka client."""
