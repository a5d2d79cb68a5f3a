package com.sitewire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sitewire.testing.SignedDelivery;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** With a request and a response that only have what the servlet needs. The Spring example runs it in a real server. */
class SitewireServletTest {
    private static final String SECRET = "sws_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";

    private static String post(SitewireServlet servlet, SignedDelivery delivery) throws Exception {
        HttpServletRequest request = (HttpServletRequest) Proxy.newProxyInstance(
                HttpServletRequest.class.getClassLoader(),
                new Class<?>[] {HttpServletRequest.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "getInputStream" -> stream(delivery.body());
                    case "getHeaderNames" -> Collections.enumeration(delivery.headers().keySet());
                    case "getHeaders" -> Collections.enumeration(delivery.headers().get(arguments[0]));
                    default -> throw new UnsupportedOperationException(method.getName());
                });
        List<Object> set = new ArrayList<>();
        StringWriter written = new StringWriter();
        HttpServletResponse response = (HttpServletResponse) Proxy.newProxyInstance(
                HttpServletResponse.class.getClassLoader(),
                new Class<?>[] {HttpServletResponse.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "setStatus", "setContentType" -> {
                        set.add(arguments[0]);
                        yield null;
                    }
                    case "getWriter" -> new PrintWriter(written);
                    default -> throw new UnsupportedOperationException(method.getName());
                });
        servlet.doPost(request, response);
        return set + " " + written;
    }

    private static ServletInputStream stream(byte[] body) {
        ByteArrayInputStream bytes = new ByteArrayInputStream(body);
        return new ServletInputStream() {
            @Override
            public int read() {
                return bytes.read();
            }

            @Override
            public boolean isFinished() {
                return bytes.available() == 0;
            }

            @Override
            public boolean isReady() {
                return true;
            }

            @Override
            public void setReadListener(ReadListener listener) {
                throw new UnsupportedOperationException();
            }
        };
    }

    @Test
    void respondsLikeTheOtherHandler() throws Exception {
        List<SiteReady> stored = new ArrayList<>();
        SitewireServlet servlet = new SitewireServlet(() -> List.of(SECRET), stored::add, Options.DEFAULT, 1000);
        SignedDelivery genuine = SignedDelivery.of(SignedDelivery.siteReady(), SECRET);
        assertEquals("[204] ", post(servlet, genuine));
        assertEquals(List.of(SignedDelivery.siteReady()), stored);
        assertEquals(
                "[401, application/json] {\"fault\":\"mismatch\"}",
                post(servlet, SignedDelivery.of(SignedDelivery.siteReady(), "forged")));
        assertEquals(
                "[413] ", post(servlet, new SignedDelivery(" ".repeat(1001).getBytes(UTF_8), genuine.headers())));
        assertEquals(1, stored.size());
    }

    @Test
    void letsTheServerReportAFailure() {
        Exception failure = new Exception("the database is down");
        SitewireServlet servlet = new SitewireServlet(() -> List.of(SECRET), event -> {
            throw failure;
        });
        SignedDelivery genuine = SignedDelivery.of(SignedDelivery.siteReady(), SECRET);
        assertSame(failure, assertThrows(ServletException.class, () -> post(servlet, genuine)).getCause());
    }
}
