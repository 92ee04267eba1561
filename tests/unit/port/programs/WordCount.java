package shop.words;

import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;
import org.apache.flink.util.ParameterTool;

/**
 * Counts words, in lines that the program holds.
 *
 * <p>Words of fewer than {@code --shortest} letters are left out.
 */
public class WordCount {

    private static final String[] LINES = {
        "To be, or not to be", "that is the question",
    };

    public static void main(String[] args) throws Exception {
        final ParameterTool params = ParameterTool.fromArgs(args);
        final int shortest = params.getInt("shortest", 1);

        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.getConfig().setGlobalJobParameters(params);
        env.setParallelism(1);

        DataStream<String> lines = env.fromData(LINES); // bounded
        DataStream<Tuple2<String, Integer>> counts =
                lines.flatMap(
                                (String line, Collector<Tuple2<String, Integer>> out) -> {
                                    for (String word : line.toLowerCase().split("\\W+")) {
                                        if (word.length() >= shortest) {
                                            out.collect(new Tuple2<>(word, 1));
                                        }
                                    }
                                })
                        .returns(Types.TUPLE(Types.STRING, Types.INT))
                        .keyBy(pair -> pair.f0)
                        .sum(1);
        counts.map(pair -> pair.f0 + ": " + pair.f1).print();
        env.execute("word count");
    }
}
