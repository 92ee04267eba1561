import org.apache.flink.configuration.GlobalConfiguration;

/**
 * Lists the parts of names by which Flink hides values of its configuration:
 *
 * <pre>
 * java -cp 'PYFLINK/lib/*' tests/names/ListSensitiveKeys.java > tests/names/flink-sensitive-keys-2.2.txt
 * </pre>
 *
 * PYFLINK is the folder of the package pyflink.
 */
public final class ListSensitiveKeys {
    public static void main(String[] arguments) throws Exception {
        var keys = GlobalConfiguration.class.getDeclaredField("SENSITIVE_KEYS");
        keys.setAccessible(true);
        for (String key : (String[]) keys.get(null)) {
            System.out.println(key);
        }
    }
}
