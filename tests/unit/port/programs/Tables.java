import static org.apache.flink.table.api.Expressions.$;
import static org.apache.flink.table.api.Expressions.lit;

import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.StatementSet;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;

public class Tables {
    private static final String ORDERS =
            "CREATE TABLE orders (\n"
                    + "  id BIGINT,\n"
                    + "  amount DOUBLE\n"
                    + ") WITH ('connector' = 'datagen', 'number-of-rows' = '10')";

    public static void main(String[] args) throws Exception {
        TableEnvironment tableEnv = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
        tableEnv.getConfig().set("table.local-time-zone", "UTC");
        tableEnv.executeSql(ORDERS);
        tableEnv.executeSql(
                """
                CREATE TABLE totals (
                  amount DOUBLE
                ) WITH ('connector' = 'print')
                """);
        StatementSet statements = tableEnv.createStatementSet();
        statements.addInsertSql("INSERT INTO totals SELECT SUM(amount) FROM orders");
        statements.execute();

        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        StreamTableEnvironment streams = StreamTableEnvironment.create(env);
        Table large = streams.sqlQuery("SELECT 1 AS id, 'a' AS name");
        DataStream<Row> rows = streams.toDataStream(large);
        rows.map(row -> row.getField(0) + ":" + row.getField("name")).print();
        DataStream<Price> prices = env.fromElements(new Price("tea", 2.5), new Price("milk", 0.5));
        Table table = streams.fromDataStream(prices, $("item"), $("cents").as("cost"));
        Table counted = table
                .filter($("cost").isGreater(lit(1.0)).and($("item").isNotNull()))
                .groupBy($("item"))
                .select($("item"), $("cost").sum().as("total"));
        streams.toChangelogStream(counted).print();
        env.execute();
    }

    public static class Price {
        public String item;
        public double cents;

        public Price() {}

        public Price(String item, double cents) {
            this.item = item;
            this.cents = cents;
        }
    }
}
