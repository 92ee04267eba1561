-- Count and total of each customer's orders in each minute: kafka to upsert-kafka.
--
--   kafkastream broker --port 9092 --topic orders --topic orders-per-minute
--   kafkastream sql -f examples/sql/orders_per_minute.sql
--
-- The job ends with the orders that exist when it starts; without 'scan.bounded.mode' it runs until Ctrl-C.

CREATE TABLE orders (
  id       BIGINT,
  customer STRING,
  amount   DECIMAL(10, 2),
  ts       TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'localhost:9092',
  'scan.startup.mode' = 'earliest-offset',
  'scan.bounded.mode' = 'latest-offset',
  'format' = 'json'
);

CREATE TABLE orders_per_minute (
  customer STRING,
  minute_start TIMESTAMP(3),
  orders   BIGINT,
  total    DECIMAL(38, 2),
  PRIMARY KEY (customer, minute_start) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka',
  'topic' = 'orders-per-minute',
  'properties.bootstrap.servers' = 'localhost:9092',
  'key.format' = 'json',
  'value.format' = 'json'
);

INSERT INTO orders_per_minute
SELECT customer, window_start, COUNT(*), SUM(amount)
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE))
GROUP BY customer, window_start, window_end;
