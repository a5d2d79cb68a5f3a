package com.sitewire;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/** What the adapters of all servers have in common. */
final class Receiver {
    static final int DEFAULT_MAX_BODY_BYTES = 64 * 1024;

    private final Supplier<List<String>> secrets;
    private final SiteReadyHandler handler;
    private final Options options;
    private final int maxBodyBytes;

    /** The body is JSON, or empty. */
    record Response(int status, String body, Map<String, String> headers) {
        Response(int status, String body) {
            this(status, body, Map.of());
        }
    }

    Receiver(Supplier<List<String>> secrets, SiteReadyHandler handler, Options options, int maxBodyBytes) {
        // An application without a secret must stop at its start, not at its first delivery.
        Sitewire.secretKeys(secrets.get());
        if (maxBodyBytes <= 0) {
            throw new IllegalArgumentException("The largest body has no bytes. Use a positive number.");
        }
        this.secrets = secrets;
        this.handler = Objects.requireNonNull(handler, "handler");
        this.options = Objects.requireNonNull(options, "options");
        this.maxBodyBytes = maxBodyBytes;
    }

    /** Reads at most one byte more than is allowed. */
    byte[] read(InputStream body) throws IOException {
        return body.readNBytes(maxBodyBytes + 1);
    }

    /**
     * Verifies and handles what {@link #read} returned.
     *
     * @throws Exception a failure of the receiver: the response must be 500
     */
    Response respond(byte[] body, Map<String, List<String>> headers) throws Exception {
        if (body.length > maxBodyBytes) {
            return new Response(413, "");
        }
        SiteReady event;
        try {
            event = Sitewire.constructEvent(body, headers, secrets.get(), options);
        } catch (WebhookException e) {
            int status = e.fault() == Fault.INVALID_BODY ? 400 : 401;
            return new Response(status, "{\"fault\":\"" + e.fault() + "\"}");
        }
        handler.handle(event);
        return new Response(204, "", Signatures.challenge(headers, options));
    }
}
