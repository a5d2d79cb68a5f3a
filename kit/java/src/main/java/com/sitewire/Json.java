package com.sitewire;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A parser of JSON that accepts exactly what RFC 8259 defines, because Java has none.
 *
 * <p>Objects become maps (of a repeated name, the last value counts), arrays lists, texts strings, and numbers doubles.
 */
final class Json {
    /** A limit, because each level takes space on the stack. */
    static final int MAX_DEPTH = 200;

    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9][0-9]*+)(\\.[0-9]++)?([eE][+-]?[0-9]++)?");

    private final String text;
    private int position;
    private int depth;

    private Json(String text) {
        this.text = text;
    }

    /** The bytes are not JSON in UTF-8, or nested too deeply. */
    static final class InvalidException extends Exception {
        private static final long serialVersionUID = 1L;
    }

    static Object parse(byte[] utf8) throws InvalidException {
        String text;
        try {
            text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
        } catch (CharacterCodingException e) {
            throw new InvalidException();
        }
        Json json = new Json(text);
        Object value = json.value();
        json.require(json.position == text.length());
        return value;
    }

    /** Reads a value, with the white space before and after it. */
    private Object value() throws InvalidException {
        skipSpace();
        Object value = switch (peek()) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            case 't' -> literal("true", true);
            case 'f' -> literal("false", false);
            case 'n' -> literal("null", null);
            default -> number();
        };
        skipSpace();
        return value;
    }

    private Map<String, Object> object() throws InvalidException {
        Map<String, Object> fields = new HashMap<>();
        enter();
        skipSpace();
        if (!next('}')) {
            do {
                skipSpace();
                String name = string();
                skipSpace();
                require(next(':'));
                fields.put(name, value());
            } while (next(','));
            require(next('}'));
        }
        depth--;
        return fields;
    }

    private List<Object> array() throws InvalidException {
        List<Object> items = new ArrayList<>();
        enter();
        skipSpace();
        if (!next(']')) {
            do {
                items.add(value());
            } while (next(','));
            require(next(']'));
        }
        depth--;
        return items;
    }

    private void enter() throws InvalidException {
        position++;
        require(++depth <= MAX_DEPTH);
    }

    private String string() throws InvalidException {
        require(next('"'));
        StringBuilder result = new StringBuilder();
        while (!next('"')) {
            char character = take();
            require(character >= ' ');
            result.append(character == '\\' ? escaped() : character);
        }
        return result.toString();
    }

    private char escaped() throws InvalidException {
        char character = take();
        return switch (character) {
            case '"', '\\', '/' -> character;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unicode();
            default -> throw new InvalidException();
        };
    }

    private char unicode() throws InvalidException {
        int code = 0;
        for (int i = 0; i < 4; i++) {
            char digit = take();
            // Character.digit alone also accepts digits that are not ASCII.
            require(digit < 128 && Character.digit(digit, 16) >= 0);
            code = code * 16 + Character.digit(digit, 16);
        }
        return (char) code;
    }

    private Double number() throws InvalidException {
        Matcher matcher = NUMBER.matcher(text).region(position, text.length());
        require(matcher.lookingAt());
        position = matcher.end();
        return Double.valueOf(matcher.group());
    }

    private Object literal(String word, Object value) throws InvalidException {
        require(text.startsWith(word, position));
        position += word.length();
        return value;
    }

    private void skipSpace() {
        while (position < text.length() && " \t\n\r".indexOf(text.charAt(position)) >= 0) {
            position++;
        }
    }

    /** Takes the next character if it is this one. */
    private boolean next(char expected) {
        boolean found = position < text.length() && text.charAt(position) == expected;
        if (found) {
            position++;
        }
        return found;
    }

    private char take() throws InvalidException {
        char character = peek();
        position++;
        return character;
    }

    private char peek() throws InvalidException {
        require(position < text.length());
        return text.charAt(position);
    }

    private void require(boolean condition) throws InvalidException {
        if (!condition) {
            throw new InvalidException();
        }
    }
}
