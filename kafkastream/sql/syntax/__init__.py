"""Parser of Flink SQL's statements: from text to frozen values, with line and column in every error."""
