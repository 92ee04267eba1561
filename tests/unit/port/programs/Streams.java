import java.time.Duration;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReadOnlyBroadcastState;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.BasicTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.BroadcastStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.co.BroadcastProcessFunction;
import org.apache.flink.streaming.api.functions.co.ProcessJoinFunction;
import org.apache.flink.streaming.api.functions.co.RichCoFlatMapFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.util.Collector;

/** Streams that meet: connected, broadcast, joined in windows and intervals. */
public class Streams {
    private static final MapStateDescriptor<String, Integer> LIMITS =
            new MapStateDescriptor<>("limits", BasicTypeInfo.STRING_TYPE_INFO, BasicTypeInfo.INT_TYPE_INFO);

    static class Latest extends RichCoFlatMapFunction<Tuple2<String, Integer>, Tuple2<String, Integer>, String> {
        private ValueState<Tuple2<String, Integer>> left;

        @Override
        public void open(Configuration parameters) {
            left = getRuntimeContext().getState(
                    new ValueStateDescriptor<>("left", TypeInformation.of(new TypeHint<Tuple2<String, Integer>>() {})));
        }

        @Override
        public void flatMap1(Tuple2<String, Integer> value, Collector<String> out) throws Exception {
            left.update(value);
        }

        @Override
        public void flatMap2(Tuple2<String, Integer> value, Collector<String> out) throws Exception {
            Tuple2<String, Integer> before = left.value();
            if (before != null) {
                emit(before, value, out);
            }
        }

        private void emit(Tuple2<String, Integer> before, Tuple2<String, Integer> now, Collector<String> out) {
            out.collect(before.f0 + before.f1 + now.f1);
        }
    }

    static class Limited extends BroadcastProcessFunction<Tuple2<String, Integer>, Tuple2<String, Integer>, String> {
        @Override
        public void processElement(Tuple2<String, Integer> value, ReadOnlyContext ctx, Collector<String> out) throws Exception {
            ReadOnlyBroadcastState<String, Integer> limits = ctx.getBroadcastState(LIMITS);
            Integer limit = limits.get(value.f0);
            if (limit == null || value.f1 <= limit) {
                out.collect(value.f0);
            }
        }

        @Override
        public void processBroadcastElement(Tuple2<String, Integer> rule, Context ctx, Collector<String> out) throws Exception {
            ctx.getBroadcastState(LIMITS).put(rule.f0, rule.f1);
        }
    }

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        WatermarkStrategy<Tuple2<String, Integer>> times = WatermarkStrategy
                .<Tuple2<String, Integer>>forMonotonousTimestamps()
                .withTimestampAssigner((pair, old) -> pair.f1 * 1000L);
        DataStream<Tuple2<String, Integer>> one =
                env.fromElements(Tuple2.of("a", 1), Tuple2.of("b", 2)).assignTimestampsAndWatermarks(times);
        DataStream<Tuple2<String, Integer>> two =
                env.fromElements(Tuple2.of("a", 3), Tuple2.of("c", 4)).assignTimestampsAndWatermarks(times);

        one.connect(two).keyBy(left -> left.f0, right -> right.f0).flatMap(new Latest()).print("latest");

        BroadcastStream<Tuple2<String, Integer>> rules = two.broadcast(LIMITS);
        one.connect(rules).process(new Limited()).print("limited");

        one.join(two)
                .where(left -> left.f0)
                .equalTo(right -> right.f0)
                .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
                .apply((left, right) -> left.f1 + right.f1)
                .print("joined");

        one.keyBy(pair -> pair.f0)
                .intervalJoin(two.keyBy(pair -> pair.f0))
                .between(Duration.ofSeconds(-5), Duration.ofSeconds(5))
                .process(new ProcessJoinFunction<Tuple2<String, Integer>, Tuple2<String, Integer>, Integer>() {
                    @Override
                    public void processElement(
                            Tuple2<String, Integer> left, Tuple2<String, Integer> right, Context ctx, Collector<Integer> out) {
                        out.collect(left.f1 * right.f1);
                    }
                })
                .print("interval");
        env.execute("streams");
    }
}
