import lombok.AllArgsConstructor;
import lombok.Builder;
import lombok.Data;
import lombok.NoArgsConstructor;
import lombok.extern.slf4j.Slf4j;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

@Slf4j
public class Lombok {
    @Data
    @Builder
    @NoArgsConstructor
    @AllArgsConstructor
    public static class User {
        private String userName;
        private int age;
        private boolean active;
    }

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        User ann = User.builder().userName("ann").age(7).build();
        ann.setAge(ann.getAge() + 1);
        log.info("first: {}", ann);
        env.fromElements(ann, new User("ben", 40, true))
                .filter(User::isActive)
                .map((MapFunction<User, String>) user -> user.getUserName() + " " + user)
                .print();
        env.execute("users");
    }
}
