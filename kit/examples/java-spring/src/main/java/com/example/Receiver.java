package com.example;

import com.sitewire.SiteReady;
import com.sitewire.SitewireServlet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A receiver of site.ready deliveries. Its configuration is in application.properties. */
@SpringBootApplication
@RestController
public class Receiver {
    // It stands for a table with the primary key site_url.
    private final Map<String, SiteReady> sites = new ConcurrentHashMap<>();

    public static void main(String[] arguments) {
        SpringApplication.run(Receiver.class, arguments);
    }

    /**
     * To merge is an upsert: a repetition changes nothing, and a correction replaces what is there. A late retry of what was
     * corrected has a smaller delivery id, and is ignored.
     */
    @Bean
    ServletRegistrationBean<SitewireServlet> webhook(@Value("${sitewire.secrets}") String secrets) {
        List<String> list = List.of(secrets.split(",", -1));
        SitewireServlet servlet = new SitewireServlet(
                () -> list, event -> sites.merge(event.siteUrl(), event, Receiver::newer));
        return new ServletRegistrationBean<>(servlet, "/webhook");
    }

    private static SiteReady newer(SiteReady stored, SiteReady event) {
        return event.delivery().compareTo(stored.delivery()) < 0 ? stored : event;
    }

    /** Only for the tests of this example: it is open to everybody. */
    @GetMapping("/sites")
    List<Map<String, String>> sites() {
        return sites.values().stream()
                .map(site -> Map.of("site_url", site.siteUrl(), "name", site.name()))
                .toList();
    }
}
