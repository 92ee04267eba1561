import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.RichSinkFunction;
import redis.clients.jedis.Jedis;

/** Parts that have no translation: each becomes a mark, and the rest is ported. */
public class Unported {
    private static final Jedis CACHE = new Jedis("localhost");

    static class RedisSink extends RichSinkFunction<String> {
        @Override
        public void invoke(String value, Context context) {
            CACHE.set(value, "1");
        }
    }

    static int first(int[][] table, int limit) {
        outer:
        for (int[] row : table) {
            for (int cell : row) {
                if (cell > limit) {
                    break outer;
                }
            }
        }
        int i = 0;
        int[] cells = table[0];
        return cells[i++];
    }

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromElements("a", "b").addSink(new RedisSink());
        env.fromElements("a", "b").map(String::toUpperCase).print();
        env.execute();
    }
}
