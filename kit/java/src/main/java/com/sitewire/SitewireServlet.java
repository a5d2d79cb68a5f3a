package com.sitewire;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Receives {@code site.ready} deliveries in a server for Jakarta Servlet 6, such as that of Spring Boot.
 *
 * <p>The responses are 204 after your handler returned; 401 or 400 with {@code {"fault": …}} if the delivery must be
 * rejected; and 413 if its body is too large. If your handler or your secrets failed, it throws a {@link
 * ServletException}, so that the server responds 500 and logs the failure.
 */
public final class SitewireServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private final transient Receiver receiver;

    /**
     * Creates a servlet with the defaults.
     *
     * @param secrets returns the channel's signing secret, or the old and the new one during a rotation; it is called
     *     now and for each delivery, so that a rotation needs no restart
     * @param handler gets the verified event
     * @throws IllegalArgumentException if there is no secret, or a secret is empty
     */
    public SitewireServlet(Supplier<List<String>> secrets, SiteReadyHandler handler) {
        this(secrets, handler, Options.DEFAULT, Receiver.DEFAULT_MAX_BODY_BYTES);
    }

    /**
     * Creates a servlet.
     *
     * @param secrets returns the channel's signing secret, or the old and the new one during a rotation; it is called
     *     now and for each delivery, so that a rotation needs no restart
     * @param handler gets the verified event
     * @param options of the verification
     * @param maxBodyBytes the largest body
     * @throws IllegalArgumentException if there is no secret, a secret is empty, or the limit is not positive
     */
    public SitewireServlet(
            Supplier<List<String>> secrets, SiteReadyHandler handler, Options options, int maxBodyBytes) {
        this.receiver = new Receiver(secrets, handler, options, maxBodyBytes);
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        byte[] body = receiver.read(request.getInputStream());
        Map<String, List<String>> headers = new HashMap<>();
        for (String name : Collections.list(request.getHeaderNames())) {
            headers.put(name, Collections.list(request.getHeaders(name)));
        }
        Receiver.Response answer;
        try {
            answer = receiver.respond(body, headers);
        } catch (Exception e) {
            throw new ServletException("A site.ready delivery failed, and its sender will repeat it", e);
        }
        response.setStatus(answer.status());
        answer.headers().forEach(response::setHeader);
        if (!answer.body().isEmpty()) {
            response.setContentType("application/json");
            response.getWriter().write(answer.body());
        }
    }
}
