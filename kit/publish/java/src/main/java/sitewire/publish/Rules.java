package sitewire.publish;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The rules of rules.tsv, which kit/publish/rules.ts describes. */
final class Rules {
    /** The fields of the event, each of which is required. */
    static final Rules SITE_PAID = new Rules("field");

    /** The headers of the record, none of which is required. */
    static final Rules HEADERS = new Rules("header");

    /** Lengths are in code points. */
    private record Field(String name, int min, int max, String description, List<Check> checks) {}

    private record Check(Pattern pattern, boolean matches, String wrong, String remedy) {}

    private final boolean required;
    private final List<Field> fields = new ArrayList<>();

    private Rules(String kind) {
        required = kind.equals("field");
        boolean own = false;
        for (String line : readLines()) {
            String[] parts = line.split("\t");
            if (parts.length == 5) {
                own = parts[0].equals(kind);
                if (own) {
                    int min = Integer.parseInt(parts[2]);
                    int max = Integer.parseInt(parts[3]);
                    fields.add(new Field(parts[1], min, max, parts[4], new ArrayList<>()));
                }
            } else if (own) {
                // In Java, $ also matches before a line break at the end.
                Pattern pattern = Pattern.compile(parts[1].replace("$", "\\z"));
                Check check = new Check(pattern, parts[0].equals("match"), parts[2], parts[3]);
                fields.get(fields.size() - 1).checks().add(check);
            }
        }
    }

    private static String[] readLines() {
        try (InputStream file = Rules.class.getResourceAsStream("rules.tsv")) {
            return new String(file.readAllBytes(), StandardCharsets.US_ASCII).split("\n");
        } catch (IOException cause) {
            throw new UncheckedIOException(cause);
        }
    }

    /** The checked values of the fields that have rules, in their order. */
    Map<String, String> check(Map<String, ?> values) {
        Map<String, String> checked = new LinkedHashMap<>();
        for (Field field : fields) {
            Object value = values.get(field.name());
            if (required || value != null) {
                checked.put(field.name(), check(field, value));
            }
        }
        return checked;
    }

    private static String check(Field field, Object value) {
        if (value == null) {
            throw new InvalidSitePaidException(field.name(), "is missing", "Set it: " + field.description());
        }
        if (!(value instanceof String text)) {
            throw new InvalidSitePaidException(field.name(), "is not text", "Convert it to text.");
        }
        if (text.codePoints().anyMatch(one -> one >= Character.MIN_SURROGATE && one <= Character.MAX_SURROGATE)) {
            throw new InvalidSitePaidException(
                    field.name(),
                    "is not valid Unicode",
                    "Decode it with the encoding in which it was written.");
        }
        int length = text.codePointCount(0, text.length());
        if (length < field.min()) {
            throw new InvalidSitePaidException(field.name(), "is empty", "Set it: " + field.description());
        }
        if (length > field.max()) {
            throw new InvalidSitePaidException(
                    field.name(), "has more than " + field.max() + " characters", "Shorten it.");
        }
        for (Check check : field.checks()) {
            if (check.pattern().matcher(text).find() != check.matches()) {
                throw new InvalidSitePaidException(field.name(), check.wrong(), check.remedy());
            }
        }
        return text;
    }
}
