import static java.nio.charset.StandardCharsets.UTF_8;

import com.sitewire.Options;
import com.sitewire.Scheme;
import com.sitewire.SitewireHttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

/**
 * A receiver of site.ready deliveries. Run it with the environment variables PORT, SITEWIRE_SECRETS (one secret, or
 * several separated by commas) and SITEWIRE_SCHEME.
 */
public class Receiver {
    public static void main(String[] arguments) throws Exception {
        String list = Optional.ofNullable(System.getenv("SITEWIRE_SECRETS")).orElse("");
        List<String> secrets = List.of(list.split(",", -1));
        Scheme scheme = Scheme.of(Optional.ofNullable(System.getenv("SITEWIRE_SCHEME")).orElse("sitewire"));

        // It stands for a table with the primary key site_url. To put is an upsert: a repetition changes nothing, and a
        // correction replaces what is there.
        Map<String, String> sites = new ConcurrentHashMap<>();
        var webhook = new SitewireHttpHandler(
                () -> secrets,
                event -> sites.put(event.siteUrl(), event.name()),
                Options.DEFAULT.withScheme(scheme),
                64 * 1024);

        int port = Integer.parseInt(System.getenv("PORT"));
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.createContext("/webhook", webhook);
        // Only for the tests of this example: it is open to everybody, and escapes nothing.
        server.createContext("/sites", exchange -> {
            byte[] json = sites.entrySet().stream()
                    .map(site -> "{\"site_url\":\"%s\",\"name\":\"%s\"}".formatted(site.getKey(), site.getValue()))
                    .collect(Collectors.joining(",", "[", "]"))
                    .getBytes(UTF_8);
            exchange.sendResponseHeaders(200, json.length);
            exchange.getResponseBody().write(json);
            exchange.close();
        });
        server.start();
    }
}
