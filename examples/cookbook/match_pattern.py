"""Find cards with which a small payment is followed by a large one within a minute."""

import sys

from kafkastream.table import EnvironmentSettings, TableEnvironment
from kafkastream.util.parameter_tool import ParameterTool


def main(servers: str) -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql(f"""
        CREATE TABLE payments (card STRING, amount DECIMAL(10, 2), ts TIMESTAMP(3),
                               WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH (
          'connector' = 'kafka', 'topic' = 'payments', 'properties.bootstrap.servers' = '{servers}',
          'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset', 'format' = 'json'
        )""")
    t_env.execute_sql(f"""
        CREATE TABLE alerts (card STRING, tested DECIMAL(10, 2), taken DECIMAL(10, 2)) WITH (
          'connector' = 'kafka', 'topic' = 'alerts', 'properties.bootstrap.servers' = '{servers}', 'format' = 'json'
        )""")
    t_env.execute_sql("""
        INSERT INTO alerts
        SELECT card, tested, taken FROM payments MATCH_RECOGNIZE (
          PARTITION BY card
          ORDER BY ts
          MEASURES PROBE.amount AS tested, THEFT.amount AS taken
          AFTER MATCH SKIP PAST LAST ROW
          PATTERN (PROBE THEFT) WITHIN INTERVAL '1' MINUTE
          DEFINE PROBE AS PROBE.amount < 1, THEFT AS THEFT.amount > 500
        )""").wait()


if __name__ == "__main__":
    main(ParameterTool.from_args(sys.argv[1:]).get("servers", "localhost:9092"))
