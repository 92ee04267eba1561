"""Ships Python files and archives of packages to workers."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import SparkSession

from kafkastream.errors import DefinitionError
from kafkastream.options.local_paths import local_path
from kafkastream.spark.session.translate_errors import translated

__all__ = ["ship"]


def ship(session: SparkSession, python_files: Iterable[str]) -> None:
    """Make files and archives of packages importable on workers and in the program.

    Args:
        session: Spark session of the job.
        python_files: Paths or URLs.

    Raises:
        DefinitionError: One is a directory, or cannot be read.
    """
    for path in python_files:
        if local_path(path).is_dir():
            raise DefinitionError(
                "Spark ships files, not directories",
                where=f"python file {path!r}",
                now="Zip it, and give the zip file.",
            )
        try:
            session.sparkContext.addPyFile(path)
        except Exception as error:
            reason = translated(error, "", "").what
            raise DefinitionError(f"a Python file cannot be shipped to the workers: {reason}", where=path) from error
