import org.apache.flink.api.common.functions.FilterFunction;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.ReduceFunction;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;

public class Anonymous {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        final int factor = 3;
        DataStream<Integer> numbers = env.fromElements(1, 2, 3, 4);

        DataStream<Integer> even = numbers.filter(new FilterFunction<Integer>() {
            @Override
            public boolean filter(Integer value) {
                return value % 2 == 0;
            }
        });
        DataStream<Tuple2<String, Integer>> pairs = even.map(new MapFunction<Integer, Tuple2<String, Integer>>() {
            @Override
            public Tuple2<String, Integer> map(Integer value) {
                int half = value / 2;
                return Tuple2.of(half > 1 ? "large" : "small", half * factor);
            }
        });
        pairs.keyBy(new KeySelector<Tuple2<String, Integer>, String>() {
                    @Override
                    public String getKey(Tuple2<String, Integer> pair) {
                        return pair.f0;
                    }
                })
                .reduce(new ReduceFunction<Tuple2<String, Integer>>() {
                    @Override
                    public Tuple2<String, Integer> reduce(Tuple2<String, Integer> a, Tuple2<String, Integer> b) {
                        return new Tuple2<>(a.f0, a.f1 + b.f1);
                    }
                })
                .print();
        numbers.flatMap(new FlatMapFunction<Integer, String>() {
            @Override
            public void flatMap(Integer value, Collector<String> out) {
                for (int i = 0; i < value; i++) {
                    out.collect(value + "/" + i);
                }
            }
        }).print();
        numbers.map(new RichMapFunction<Integer, String>() {
            private transient int subtask;
            private int seen;

            @Override
            public void open(OpenContext openContext) {
                subtask = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
            }

            @Override
            public String map(Integer value) {
                seen++;
                return subtask + ":" + value;
            }
        }).print();
        numbers.process(new ProcessFunction<Integer, Integer>() {
            @Override
            public void processElement(Integer value, Context ctx, Collector<Integer> out) {
                if (ctx.timestamp() == null) {
                    out.collect(-value);
                }
            }
        }).print();
        env.execute("anonymous");
    }
}
