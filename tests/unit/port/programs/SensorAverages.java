import java.time.Duration;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

public class SensorAverages {
    private static final OutputTag<Reading> lateReadings = new OutputTag<Reading>("late") {};

    public record Reading(String sensor, long time, double celsius) {
        public double fahrenheit() {
            return celsius * 9 / 5 + 32;
        }
    }

    public static class Average implements AggregateFunction<Reading, Tuple2<Double, Integer>, Double> {
        @Override
        public Tuple2<Double, Integer> createAccumulator() {
            return Tuple2.of(0.0, 0);
        }

        @Override
        public Tuple2<Double, Integer> add(Reading reading, Tuple2<Double, Integer> acc) {
            acc.f0 += reading.fahrenheit();
            acc.f1 = acc.f1 + 1;
            return acc;
        }

        @Override
        public Double getResult(Tuple2<Double, Integer> acc) {
            return acc.f0 / acc.f1;
        }

        @Override
        public Tuple2<Double, Integer> merge(Tuple2<Double, Integer> a, Tuple2<Double, Integer> b) {
            return new Tuple2<>(a.f0 + b.f0, a.f1 + b.f1);
        }
    }

    public static class WithWindow extends ProcessWindowFunction<Double, String, String, TimeWindow> {
        @Override
        public void process(String key, Context context, Iterable<Double> averages, Collector<String> out) {
            Double average = averages.iterator().next();
            out.collect(key + "@" + context.window().getEnd() / 1000 + "=" + Math.round(average * 10) / 10.0);
        }
    }

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(1);

        WatermarkStrategy<Reading> strategy = WatermarkStrategy
                .<Reading>forBoundedOutOfOrderness(Duration.ofSeconds(1))
                .withTimestampAssigner((reading, timestamp) -> reading.time());

        SingleOutputStreamOperator<String> averages = env
                .fromElements(
                        new Reading("a", 1_000, 20.0),
                        new Reading("b", 2_000, 10.0),
                        new Reading("a", 9_000, 30.0),
                        new Reading("a", 12_000, 0.0))
                .assignTimestampsAndWatermarks(strategy)
                .keyBy(Reading::sensor)
                .window(TumblingEventTimeWindows.of(Duration.ofSeconds(10)))
                .allowedLateness(Duration.ofSeconds(5))
                .sideOutputLateData(lateReadings)
                .aggregate(new Average(), new WithWindow());

        averages.print();
        averages.getSideOutput(lateReadings).map(reading -> "late: " + reading).print();
        env.execute("averages");
    }
}
