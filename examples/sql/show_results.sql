-- Shows what orders_per_minute.sql and pipelines/large_orders.yaml have written.
--
--   kafkastream sql -f examples/sql/show_results.sql

SET 'sql-client.execution.result-mode' = 'tableau';

CREATE TABLE orders_per_minute (
  customer STRING,
  minute_start TIMESTAMP(3),
  orders   BIGINT,
  total    DECIMAL(38, 2)
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders-per-minute',
  'properties.bootstrap.servers' = 'localhost:9092',
  'scan.startup.mode' = 'earliest-offset',
  'scan.bounded.mode' = 'latest-offset',
  'format' = 'json'
);

CREATE TABLE large_orders (
  id       BIGINT,
  customer STRING,
  amount   DOUBLE
) WITH (
  'connector' = 'kafka',
  'topic' = 'large-orders',
  'properties.bootstrap.servers' = 'localhost:9092',
  'scan.startup.mode' = 'earliest-offset',
  'scan.bounded.mode' = 'latest-offset',
  'format' = 'debezium-json'
);

SELECT * FROM orders_per_minute;

SELECT * FROM large_orders;
