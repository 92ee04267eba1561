import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.flink.annotation.docs.Documentation;
import org.apache.flink.configuration.ConfigOption;

/**
 * Lists the options of Flink's own option classes, as the jars of an installed PyFlink have them:
 *
 * <pre>
 * java -cp 'PYFLINK/lib/*' tests/names/ListFlinkOptions.java PYFLINK > tests/names/flink-options-2.2.tsv
 * </pre>
 *
 * PYFLINK is the folder of the package pyflink. Each line has key, class, type, default and fallback keys. Options of
 * tables, formats and catalogs are left out, since WITH sets them, and so are those that only Flink itself sets.
 */
public final class ListFlinkOptions {
    private static final String NOT_SETTINGS =
            "org\\.apache\\.flink\\.(connector|formats)\\..*" // WITH, or a source's own properties
                    + "|org\\.apache\\.flink\\.table\\.(catalog|module|sinks|utils)\\..*"
                    + "|.*\\.(FactoryUtil|LookupOptions)" // WITH
                    + "|.*\\.(LookupJoinHintOptions|MLPredictRuntimeConfigOptions|VectorSearchRuntimeConfigOptions)" // hints
                    + "|.*OptionsInternal|.*\\.InternalConfigOptions|.*\\.ArrowTableSourceOptions";

    public static void main(String[] arguments) throws Exception {
        List<Path> jars = new ArrayList<>();
        for (String folder : List.of("lib", "opt", "plugins")) {
            try (var files = Files.walk(Path.of(arguments[0], folder))) {
                files.filter(file -> file.toString().endsWith(".jar")).sorted().forEach(jars::add);
            }
        }
        Path planner = Files.createTempFile("planner", ".jar");
        Path loader = jars.stream().filter(jar -> jar.toString().contains("planner-loader")).findFirst().orElseThrow();
        try (JarFile outer = new JarFile(loader.toFile());
                var inner = outer.getInputStream(outer.getEntry("flink-table-planner.jar"))) {
            Files.copy(inner, planner, StandardCopyOption.REPLACE_EXISTING);
        }
        jars.add(planner);
        URL[] urls = new URL[jars.size()];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = jars.get(i).toUri().toURL();
        }
        TreeSet<String> lines = new TreeSet<>();
        try (URLClassLoader classes = new URLClassLoader(urls, ListFlinkOptions.class.getClassLoader())) {
            for (Path jar : jars) {
                for (String name : optionClasses(jar)) {
                    Class<?> owner = Class.forName(name, false, classes);
                    for (Field field : owner.getDeclaredFields()) {
                        if (Modifier.isStatic(field.getModifiers())
                                && field.getType() == ConfigOption.class
                                && !field.getName().equals("PARTITION_FIELDS_DATE_FORMATTER")) { // WITH
                            field.setAccessible(true);
                            lines.add(line(owner, field, (ConfigOption<?>) field.get(null)));
                        }
                    }
                }
            }
        }
        Files.delete(planner);
        Path dist = jars.stream().filter(jar -> jar.toString().contains("flink-dist")).findFirst().orElseThrow();
        System.out.println("# " + dist.getFileName().toString().replaceAll("flink-dist-(.*)\\.jar", "Flink $1"));
        lines.forEach(System.out::println);
    }

    private static List<String> optionClasses(Path jar) throws IOException {
        try (JarFile entries = new JarFile(jar.toFile())) {
            return Collections.list(entries.entries()).stream()
                    .map(entry -> entry.getName())
                    .filter(name -> name.matches("org/apache/flink/(?!.*shaded).*Options\\.class"))
                    .map(name -> name.replace('/', '.').replaceAll("\\.class$", ""))
                    .filter(name -> !name.matches(NOT_SETTINGS))
                    .collect(Collectors.toList());
        }
    }

    private static String line(Class<?> owner, Field field, ConfigOption<?> option) throws Exception {
        var suffix = field.getAnnotation(Documentation.SuffixOption.class);
        boolean isReporters = owner.getName().startsWith("org.apache.flink.metrics.");
        String prefix = suffix != null ? suffix.value() + "." : isReporters ? "metrics.reporter.<name>." : "";
        String fallbackKeys =
                StreamSupport.stream(option.fallbackKeys().spliterator(), false)
                        .map(key -> prefix + key.getKey())
                        .collect(Collectors.joining(","));
        var type = ConfigOption.class.getDeclaredMethod("getClazz");
        type.setAccessible(true);
        return String.join(
                "\t",
                prefix + option.key(),
                owner.getSimpleName(),
                ((Class<?>) type.invoke(option)).getSimpleName(),
                String.valueOf(option.defaultValue()).replaceAll("\\s+", " "),
                fallbackKeys);
    }
}
