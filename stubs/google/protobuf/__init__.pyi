"""The names of protobuf that the tests touch; protobuf ships no types."""
