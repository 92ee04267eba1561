-- A few records for trials: a line of text, and orders of three customers.
--
--   kafkastream broker --port 9092 --topic lines --topic orders
--   kafkastream sql -f examples/sql/sample_records.sql

CREATE TABLE lines (
  line STRING
) WITH (
  'connector' = 'kafka',
  'topic' = 'lines',
  'properties.bootstrap.servers' = 'localhost:9092',
  'format' = 'raw'
);

CREATE TABLE orders (
  id       BIGINT,
  customer STRING,
  amount   DECIMAL(10, 2),
  ts       TIMESTAMP(3)
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'localhost:9092',
  'format' = 'json'
);

EXECUTE STATEMENT SET BEGIN
INSERT INTO lines VALUES ('hello world');
INSERT INTO orders VALUES
  (1, 'ann', 10.00, TIMESTAMP '2024-05-01 10:00:01'),
  (2, 'bob', 20.50, TIMESTAMP '2024-05-01 10:00:30'),
  (3, 'ann', 30.00, TIMESTAMP '2024-05-01 10:00:40'),
  (4, 'cid', 5.00, TIMESTAMP '2024-05-01 10:02:00');
END;
