import java.util.Locale;
import java.util.Optional;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Enumerations, interfaces, exceptions and inheritance. */
public class Levels {
    enum Level {
        LOW(1, "l"),
        HIGH(10, "h");

        private final int weight;
        private final String code;

        Level(int weight, String code) {
            this.weight = weight;
            this.code = code;
        }

        public int getWeight() {
            return weight;
        }

        static Level of(String code) {
            for (Level level : values()) {
                if (level.code.equals(code)) {
                    return level;
                }
            }
            throw new UnknownLevel("no level " + code);
        }
    }

    static class UnknownLevel extends RuntimeException {
        UnknownLevel(String message) {
            super(message);
        }
    }

    interface Scorer {
        int score(Level level);

        default String label(Level level) {
            return level + "=" + score(level);
        }
    }

    abstract static class Scaled implements Scorer {
        protected final int factor;

        Scaled(int factor) {
            this.factor = factor;
        }
    }

    static class Weighted extends Scaled {
        private int asked;

        Weighted() {
            super(2);
        }

        @Override
        public int score(Level level) {
            asked++;
            switch (level) {
                case LOW:
                    return level.getWeight();
                case HIGH:
                    return level.getWeight() * factor;
                default:
                    throw new IllegalStateException("unexpected " + level.name());
            }
        }
    }

    static Optional<Level> find(String code) {
        try {
            return Optional.of(Level.of(code));
        } catch (UnknownLevel e) {
            System.err.println(e.getMessage());
            return Optional.empty();
        }
    }

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        Weighted scorer = new Weighted();
        env.fromElements("l", "h", "x")
                .map(code -> {
                    Optional<Level> level = find(code);
                    if (level.isPresent()) {
                        return scorer.label(level.get());
                    }
                    return "?";
                })
                .print();
        System.out.println(Level.valueOf("low".toUpperCase(Locale.ROOT)).ordinal());
        env.execute("levels");
    }
}
