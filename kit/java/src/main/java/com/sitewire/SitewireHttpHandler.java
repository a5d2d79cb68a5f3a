package com.sitewire;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.function.Supplier;

/**
 * Receives {@code site.ready} deliveries in the JDK's {@link com.sun.net.httpserver.HttpServer}.
 *
 * <p>The responses are 204 after your handler returned; 401 or 400 with {@code {"fault": …}} if the delivery must be
 * rejected; 413 if its body is too large; and 500 if your handler or your secrets failed, which is also written to the
 * {@link Logger} {@code com.sitewire}.
 */
public final class SitewireHttpHandler implements HttpHandler {
    private static final Logger LOGGER = System.getLogger("com.sitewire");

    private final Receiver receiver;

    /**
     * Creates a handler with the defaults.
     *
     * @param secrets returns the channel's signing secret, or the old and the new one during a rotation; it is called
     *     now and for each delivery, so that a rotation needs no restart
     * @param handler gets the verified event
     * @throws IllegalArgumentException if there is no secret, or a secret is empty
     */
    public SitewireHttpHandler(Supplier<List<String>> secrets, SiteReadyHandler handler) {
        this(secrets, handler, Options.DEFAULT, Receiver.DEFAULT_MAX_BODY_BYTES);
    }

    /**
     * Creates a handler.
     *
     * @param secrets returns the channel's signing secret, or the old and the new one during a rotation; it is called
     *     now and for each delivery, so that a rotation needs no restart
     * @param handler gets the verified event
     * @param options of the verification
     * @param maxBodyBytes the largest body
     * @throws IllegalArgumentException if there is no secret, a secret is empty, or the limit is not positive
     */
    public SitewireHttpHandler(
            Supplier<List<String>> secrets, SiteReadyHandler handler, Options options, int maxBodyBytes) {
        this.receiver = new Receiver(secrets, handler, options, maxBodyBytes);
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = receiver.read(exchange.getRequestBody());
            Receiver.Response response;
            try {
                response = receiver.respond(body, exchange.getRequestHeaders());
            } catch (Exception e) {
                // This server would only close the connection.
                LOGGER.log(Level.ERROR, "A site.ready delivery failed, and its sender will repeat it", e);
                response = new Receiver.Response(500, "");
            }
            byte[] content = response.body().getBytes(UTF_8);
            if (content.length > 0) {
                exchange.getResponseHeaders().set("Content-Type", "application/json");
            }
            response.headers().forEach(exchange.getResponseHeaders()::set);
            exchange.sendResponseHeaders(response.status(), content.length == 0 ? -1 : content.length);
            exchange.getResponseBody().write(content);
        }
    }
}
