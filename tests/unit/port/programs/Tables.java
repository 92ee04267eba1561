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
        env.execute();
    }
}
