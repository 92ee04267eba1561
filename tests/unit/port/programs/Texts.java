import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Texts, numbers and collections, without Flink. */
public class Texts {
    private static int calls = 0;

    static int gcd(int a, int b) {
        while (b != 0) {
            int rest = a % b;
            a = b;
            b = rest;
        }
        return a;
    }

    static String describe(int number) {
        calls++;
        switch (number % 3) {
            case 0:
                return "fizz";
            case 1:
            case -1:
                return "one";
            default:
                return "two";
        }
    }

    static String size(String word) {
        return switch (word.length()) {
            case 0 -> "empty";
            case 1, 2 -> "short";
            default -> {
                String upper = word.toUpperCase();
                yield upper.charAt(0) + "...";
            }
        };
    }

    static double half(int value) {
        return value / 2 + (double) value / 4;
    }

    public static void main(String[] args) {
        List<String> words = new ArrayList<>(Arrays.asList("pear", "fig", "apple", "fig"));
        Map<String, Integer> counts = new HashMap<>();
        for (String word : words) {
            counts.put(word, counts.getOrDefault(word, 0) + 1);
            counts.merge("all", 1, Integer::sum);
        }
        Set<String> once = new HashSet<>(words);
        words.add(0, "kiwi");
        words.sort(Comparator.comparing(String::length));
        Collections.reverse(words);
        words.remove("fig");

        StringBuilder builder = new StringBuilder();
        for (int i = 0; i < words.size(); i++) {
            builder.append(i).append('=').append(words.get(i));
            if (i < words.size() - 1) {
                builder.append(", ");
            }
        }
        System.out.println(builder.toString());

        String joined = words.stream()
                .filter(word -> word.length() > 3)
                .map(String::toUpperCase)
                .collect(Collectors.joining("|"));
        List<Integer> lengths = words.stream().map(word -> word.length()).collect(Collectors.toList());
        System.out.println(joined + " " + lengths + " " + once.size());
        System.out.println(String.format("%5.1f|%-5s|%03d|%s", half(7), "ab", gcd(12, 18), counts.get("fig")));
        System.out.printf("%d%% of %s%n", 50, describe(-4));

        int total = 0;
        for (int i = 10; i > 0; i -= 3) {
            if (i == 4) {
                continue;
            }
            total += i;
        }
        long big = 1L << 40;
        System.out.println(total + " " + big + " " + (-7 / 2) + " " + (-7 % 3) + " " + 1.0 / 4 + " " + 1e10 + " " + true);

        Iterator<String> iterator = words.iterator();
        while (iterator.hasNext()) {
            String word = iterator.next();
            System.out.println(size(word));
        }
        for (Map.Entry<String, Integer> entry : counts.entrySet()) {
            if (entry.getValue() > 1) {
                System.out.println(entry.getKey() + " -> " + entry.getValue());
            }
        }
        int[] squares = new int[4];
        for (int i = 0; i < squares.length; i++) {
            squares[i] = i * i;
        }
        try {
            Integer.parseInt("x" + squares[3]);
        } catch (NumberFormatException e) {
            System.out.println("not a number");
        } finally {
            System.out.println("calls: " + calls);
        }
        if (args.length > 5) {
            throw new IllegalArgumentException("too many arguments: " + args.length);
        }
    }
}
