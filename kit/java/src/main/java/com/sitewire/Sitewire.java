package com.sitewire;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Base64;
import java.util.List;
import java.util.Map;

/** Verifies deliveries, and requests to a partner's API. */
public final class Sitewire {
    private Sitewire() {}

    /**
     * Verifies a delivery and returns its content.
     *
     * @param rawBody the body as it arrived: JSON that was parsed and serialised again has other bytes
     * @param headers names in any case, each with its values
     * @param secrets the channel's signing secret, or the old and the new one during a rotation
     * @param options for instance {@link Options#DEFAULT}
     * @return the event
     * @throws WebhookException if the delivery must be rejected
     * @throws IllegalArgumentException if the receiver is at fault: there is no secret, a secret is unusable, or there
     *     is no body
     */
    public static SiteReady constructEvent(
            byte[] rawBody, Map<String, List<String>> headers, List<String> secrets, Options options)
            throws WebhookException {
        List<byte[]> keys = secretKeys(secrets);
        if (rawBody == null) {
            throw new IllegalArgumentException(
                    "The body is null, but a signature covers the raw bytes. Read them before anything parses them.");
        }
        Signatures.verifySitewire(rawBody, headers, keys, options);
        return parse(rawBody, Signatures.deliveryId(headers, options));
    }

    /**
     * Checks that Sitewire sent a request to your API.
     *
     * @param method of the request, such as {@code GET}
     * @param url the connection's source exactly as the service shows it: take it from your configuration, because
     *     behind a proxy your server may see another scheme or host
     * @param headers names in any case, each with its values
     * @param secrets the connection's signing secret, or the old and the new one during a replacement
     * @param options of which only the tolerance and the clock have a meaning here
     * @throws WebhookException if the request must be rejected
     * @throws IllegalArgumentException if there is no secret, or a secret is unusable
     */
    public static void verifySourceRequest(
            String method, String url, Map<String, List<String>> headers, List<String> secrets, Options options)
            throws WebhookException {
        List<byte[]> keys = secretKeys(secrets);
        byte[] signed = ("\"" + method + " " + url + "\"").getBytes(UTF_8);
        Signatures.verifyStandardWebhooks(signed, headers, keys, options);
    }

    /**
     * Returns the HMAC key of a secret: its text in UTF-8, or what follows {@code whsec_} in the form for libraries of Standard
     * Webhooks, decoded from base64.
     *
     * @param secret in either form
     * @return the key
     * @throws IllegalArgumentException if the secret is empty, or its form is wrong
     */
    public static byte[] secretKey(String secret) {
        if (secret == null || secret.isEmpty()) {
            throw new IllegalArgumentException(
                    "A secret is empty, so anybody could sign. "
                            + "Check that the variable with the channel's signing secret is set.");
        }
        if (!secret.startsWith("whsec_")) {
            return secret.getBytes(UTF_8);
        }
        String text = secret.substring("whsec_".length());
        byte[] key;
        try {
            key = Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            key = new byte[0];
        }
        // Compared, because the decoder does not demand the padding.
        if (key.length == 0 || !Base64.getEncoder().encodeToString(key).equals(text)) {
            throw new IllegalArgumentException("A secret begins with whsec_, but the rest is not base64. "
                    + "Pass it exactly as it was shown, in either form.");
        }
        return key;
    }

    static List<byte[]> secretKeys(List<String> secrets) {
        if (secrets == null || secrets.isEmpty()) {
            throw new IllegalArgumentException(
                    "There is no secret, so nothing can be verified. Pass the channel's signing secret.");
        }
        return secrets.stream().map(Sitewire::secretKey).toList();
    }

    private static SiteReady parse(byte[] body, String delivery) throws WebhookException {
        Object value;
        try {
            value = Json.parse(body);
        } catch (Json.InvalidException e) {
            throw WebhookException.invalidBody("it is not JSON in UTF-8");
        }
        if (!(value instanceof Map<?, ?> fields)) {
            throw WebhookException.invalidBody("it is not a JSON object");
        }
        if (!"site.ready".equals(text(fields, "event"))) {
            throw WebhookException.invalidBody("the field event is not site.ready");
        }
        return new SiteReady(
                text(fields, "event"),
                text(fields, "channel"),
                text(fields, "reference"),
                text(fields, "site_url"),
                text(fields, "console_url"),
                text(fields, "name"),
                text(fields, "email"),
                text(fields, "created_at"),
                delivery);
    }

    private static String text(Map<?, ?> fields, String name) throws WebhookException {
        if (fields.get(name) instanceof String text) {
            return text;
        }
        throw WebhookException.invalidBody("the field " + name + " is missing or not a text");
    }
}
