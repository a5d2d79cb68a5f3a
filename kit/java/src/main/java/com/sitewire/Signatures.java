package com.sitewire;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The signatures of deliveries and of requests to a source. */
final class Signatures {
    private static final Pattern SITEWIRE = Pattern.compile("sha256=[0-9a-f]{64}");
    private static final Pattern SIGNATURE_NAME = Pattern.compile("-signature$", Pattern.CASE_INSENSITIVE);
    private static final Pattern CHALLENGE = Pattern.compile("[A-Za-z0-9_-]{1,200}");
    private static final Pattern TIMESTAMP = Pattern.compile("[0-9]{1,10}");
    private static final Pattern SIGNATURE = Pattern.compile("v[0-9]+[a-z]?,\\S+");

    private Signatures() {}

    static void verifySitewire(
            byte[] body, Map<String, List<String>> headers, List<byte[]> keys, Options options)
            throws WebhookException {
        List<String> values = present(headers, options.header());
        String form = "exactly \"sha256=\" and 64 lowercase hexadecimal digits";
        byte[] claimed = single(values, options.header(), SITEWIRE, form).getBytes(UTF_8);
        boolean match = false;
        for (byte[] key : keys) {
            // Every secret is tried, so that the time taken does not reveal which one matched.
            String expected = "sha256=" + HexFormat.of().formatHex(hmac(key, body));
            match |= MessageDigest.isEqual(expected.getBytes(UTF_8), claimed);
        }
        if (!match) {
            throw WebhookException.mismatch();
        }
    }

    static void verifyStandardWebhooks(
            byte[] body, Map<String, List<String>> headers, List<byte[]> keys, Options options)
            throws WebhookException {
        List<String> ids = present(headers, "webhook-id");
        List<String> timestamps = present(headers, "webhook-timestamp");
        List<String> signatures = present(headers, "webhook-signature");
        // A full stop in the id would let the same text be divided in another way.
        if (ids.size() > 1 || ids.get(0).contains(".")) {
            throw WebhookException.malformed("webhook-id", "one value without a full stop");
        }
        String timestamp = single(timestamps, "webhook-timestamp", TIMESTAMP, "1 to 10 digits");
        String[] claimed = signatures.get(0).split(" ", -1);
        for (String one : claimed) {
            if (signatures.size() > 1 || !SIGNATURE.matcher(one).matches()) {
                throw WebhookException.malformed(
                        "webhook-signature", "\"version,signature\" once or several times, separated by one space");
            }
        }
        Instant signed = Instant.ofEpochSecond(Long.parseLong(timestamp));
        if (Duration.between(signed, options.clock().instant()).abs().compareTo(options.tolerance()) > 0) {
            throw WebhookException.outdated(options.tolerance().toSeconds());
        }
        byte[] prefix = (ids.get(0) + "." + timestamp + ".").getBytes(UTF_8);
        boolean match = false;
        for (byte[] key : keys) {
            String expected = "v1," + Base64.getEncoder().encodeToString(hmac(key, prefix, body));
            for (String one : claimed) {
                match |= MessageDigest.isEqual(expected.getBytes(UTF_8), one.getBytes(UTF_8));
            }
        }
        if (!match) {
            throw WebhookException.mismatch();
        }
    }

    static String deliveryId(Map<String, List<String>> headers, Options options) {
        return once(headers, beside(options.header(), "Delivery"));
    }

    /** Returns the challenge of a new address as the only entry, or an empty map. Who returns it agrees to get deliveries there. */
    static Map<String, String> challenge(Map<String, List<String>> headers, Options options) {
        String name = beside(options.header(), "Challenge");
        String value = once(headers, name);
        return CHALLENGE.matcher(value).matches() ? Map.of(name, value) : Map.of();
    }

    /** Returns the name of another header of the service, such as X-Sitewire-Delivery beside X-Sitewire-Signature. */
    private static String beside(String signature, String word) {
        Matcher name = SIGNATURE_NAME.matcher(signature);
        return name.find() ? name.replaceFirst("-" + word) : "";
    }

    /** Returns an empty text if the header is not there once. */
    private static String once(Map<String, List<String>> headers, String name) {
        try {
            List<String> values = present(headers, name);
            return values.size() == 1 ? values.get(0) : "";
        } catch (WebhookException e) {
            return "";
        }
    }

    /** Returns all values of a header, of which there is at least one. */
    private static List<String> present(Map<String, List<String>> headers, String name) throws WebhookException {
        List<String> values = new ArrayList<>();
        headers.forEach((key, more) -> {
            // Some maps of headers have the status line under the name null.
            if (key != null && key.equalsIgnoreCase(name)) {
                values.addAll(more);
            }
        });
        if (values.isEmpty() || values.size() == 1 && values.get(0).isEmpty()) {
            throw WebhookException.missing(name);
        }
        return values;
    }

    private static String single(List<String> values, String header, Pattern pattern, String form)
            throws WebhookException {
        if (values.size() > 1 || !pattern.matcher(values.get(0)).matches()) {
            throw WebhookException.malformed(header, form + ", once");
        }
        return values.get(0);
    }

    private static byte[] hmac(byte[] key, byte[]... parts) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            for (byte[] part : parts) {
                mac.update(part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("This Java has no HmacSHA256. Use one that conforms to Java SE.", e);
        }
    }
}
