"""Types, rows, times, watermark strategies and basic user functions: Flink's ``common``, and checks of arguments."""
