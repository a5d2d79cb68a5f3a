package com.sitewire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    private static Object parse(String text) throws Json.InvalidException {
        return Json.parse(text.getBytes(UTF_8));
    }

    @Test
    void readsEveryKindOfValue() throws Exception {
        assertEquals(Map.of(), parse("{}"));
        assertEquals(List.of(), parse(" [ ] "));
        assertEquals(Arrays.asList(true, false, null), parse("[true,false,null]"));
        assertEquals(Map.of("a", Map.of("b", List.of("c"))), parse("\t{ \"a\" : {\"b\":[ \"c\" ]}\r\n}\n"));
        assertEquals(List.of(0.0, -0.0, 12.5, 1200.0, -0.01), parse("[0,-0,12.5,12E+2,-1e-2]"));
        assertEquals("", parse("\"\""));
    }

    @Test
    void readsEveryEscape() throws Exception {
        assertEquals("\"\\/\b\f\n\r\t", parse("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""));
        assertEquals("aé€🥐\0", parse("\"\\u0061\\u00e9\\u20AC\\uD83E\\uDD50\\u0000\""));
        assertEquals("é€🥐\u007f", parse("\"é€🥐\u007f\""));
    }

    @Test
    void ofARepeatedNameTheLastValueCounts() throws Exception {
        assertEquals(Map.of("a", "2"), parse("{\"a\":\"1\",\"\\u0061\":\"2\"}"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", " ", "{", "[", "\"", "}", "]", ",", ":", "tru", "True", "nul", "nulll", "NaN",
                "Infinity", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "0x1", "1 2", "{}{}", "[1,]",
                "[,1]", "[1 2]", "[1}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "{a:1}", "{1:2}",
                "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{\"a\":1]", "'a'", "\"a", "\"\\\"", "\"\\x\"",
                "\"\\u12\"", "\"\\u12g4\"", "\"\\u１234\"", "\"\\U0041\"", "\"\\", "\"\\u", "\"\n\"",
                "\"\t\"", "\"\0\"", "\"\u001f\"", "// a\n1", "1 /* a */", "\ufeff1", "\u00a01", "1\u000b",
                "1\f", "{}\0", "１"
            })
    void rejectsWhatIsNotJson(String text) {
        assertThrows(Json.InvalidException.class, () -> parse(text));
    }

    @Test
    void rejectsWhatIsNotUtf8() {
        int[][] cases = {
            {0x80}, {0xff}, {0xc3}, {0xc0, 0xaf}, {0xe0, 0x80, 0x80}, {0xed, 0xa0, 0x80}, {0xf4, 0x90, 0x80, 0x80}
        };
        for (int[] units : cases) {
            byte[] text = new byte[units.length + 2];
            text[0] = '"';
            text[text.length - 1] = '"';
            for (int i = 0; i < units.length; i++) {
                text[i + 1] = (byte) units[i];
            }
            assertThrows(Json.InvalidException.class, () -> Json.parse(text), Arrays.toString(units));
        }
    }

    @Test
    void limitsTheDepth() throws Exception {
        String open = "[{\"a\":".repeat(Json.MAX_DEPTH / 2);
        String close = "}]".repeat(Json.MAX_DEPTH / 2);
        parse(open + "1" + close);
        assertThrows(Json.InvalidException.class, () -> parse(open + "[]" + close));
        // The limit is of the depth, not of the number of arrays.
        parse("[" + "[],".repeat(Json.MAX_DEPTH) + "{}]");
    }
}
