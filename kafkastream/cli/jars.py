"""``kafkastream jars``: prints the paths of the jars that Spark needs."""

from __future__ import annotations

import click

__all__ = ["jars_command"]

_EPILOG = """\b
Example:
  spark-submit --jars "$(kafkastream jars)" job.py

\b
Environment:
  KAFKASTREAM_JARS_DIR      where the jars are kept, instead of the user's cache
  KAFKASTREAM_IVY_SETTINGS  an ivysettings.xml of your own, for a mirror
  JAVA_TOOL_OPTIONS         options for Java, for example a proxy
"""


@click.command("jars", epilog=_EPILOG)
@click.option("--broker", is_flag=True, help="Print the jars of the Apache Kafka broker instead.")
@click.option("--delta", is_flag=True, help="Print the jars of Delta Lake instead, for the delta sink of pipelines.")
def jars_command(broker: bool, delta: bool) -> None:
    """Print the paths of the jars of Spark's Kafka connector.

    Paths are separated by commas, as for spark-submit --jars.

    Jars are downloaded on first use; progress goes to stderr.
    """
    from kafkastream.spark.session.jars import broker_jars, connector_jars, delta_jars
    from kafkastream.spark.session.java_home import find_java

    find_java()  # Spark will need it with the jars, so report a missing Java even if no jar has to be downloaded
    jars = broker_jars() if broker else delta_jars() if delta else connector_jars()
    click.echo(",".join(map(str, jars)))
