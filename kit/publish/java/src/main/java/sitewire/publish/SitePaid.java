// Written by kit/publish/generate.ts from docs/reference/schemas/site.paid.json.
package sitewire.publish;

import java.util.LinkedHashMap;
import java.util.Map;

/** A site bought through a channel is paid and ready for use. Its fields are valid: the builder has checked them. */
public final class SitePaid {
    final Map<String, String> values;

    private SitePaid(Map<String, ?> values) {
        this.values = Rules.SITE_PAID.check(values);
    }

    /**
     * An event from its fields by name, for example from parsed JSON. Other fields are ignored.
     *
     * @throws InvalidSitePaidException if a field is missing or breaks a rule; it names the field
     */
    public static SitePaid of(Map<String, ?> values) {
        return new SitePaid(values);
    }

    /** A builder without values. */
    public static Builder builder() {
        return new Builder();
    }

    /** Identifies the event. A second event with the same id is not delivered. */
    public String id() {
        return values.get("id");
    }

    /** Sales channel through which the site was bought. */
    public String channel() {
        return values.get("channel");
    }

    /** The data-ref value that the partner gave to the purchase frame. */
    public String reference() {
        return values.get("reference");
    }

    /** URL of the new site. It must have two hexadecimal digits after each %, and must have a valid host. */
    public String siteUrl() {
        return values.get("site_url");
    }

    /** URL of the site's management console. It must have two hexadecimal digits after each %, and must have a valid host. */
    public String consoleUrl() {
        return values.get("console_url");
    }

    /** Name of the site. */
    public String name() {
        return values.get("name");
    }

    /** Contact address of the site's owner. Personal data. */
    public String email() {
        return values.get("email");
    }

    /** Creation time, ISO 8601 with a UTC offset. It must be in the years 0000 to 9999, in UTC. */
    public String createdAt() {
        return values.get("created_at");
    }

    /** Sets the fields one by one. */
    public static final class Builder {
        private final Map<String, String> values = new LinkedHashMap<>();

        private Builder() {}

        /** Identifies the event. A second event with the same id is not delivered. For example {@code order-10042}. Returns this builder. */
        public Builder id(String value) {
            values.put("id", value);
            return this;
        }

        /** Sales channel through which the site was bought. For example {@code acme}. Returns this builder. */
        public Builder channel(String value) {
            values.put("channel", value);
            return this;
        }

        /** The data-ref value that the partner gave to the purchase frame. For example {@code user-4711}. Returns this builder. */
        public Builder reference(String value) {
            values.put("reference", value);
            return this;
        }

        /** URL of the new site. It must have two hexadecimal digits after each %, and must have a valid host. For example {@code https://bakery.example}. Returns this builder. */
        public Builder siteUrl(String value) {
            values.put("site_url", value);
            return this;
        }

        /** URL of the site's management console. It must have two hexadecimal digits after each %, and must have a valid host. For example {@code https://console.example/bakery}. Returns this builder. */
        public Builder consoleUrl(String value) {
            values.put("console_url", value);
            return this;
        }

        /** Name of the site. For example {@code Bakery}. Returns this builder. */
        public Builder name(String value) {
            values.put("name", value);
            return this;
        }

        /** Contact address of the site's owner. Personal data. For example {@code owner@bakery.example}. Returns this builder. */
        public Builder email(String value) {
            values.put("email", value);
            return this;
        }

        /** Creation time, ISO 8601 with a UTC offset. It must be in the years 0000 to 9999, in UTC. For example {@code 2026-03-01T12:00:00+01:00}. Returns this builder. */
        public Builder createdAt(String value) {
            values.put("created_at", value);
            return this;
        }

        /**
         * The event.
         *
         * @throws InvalidSitePaidException if a field is missing or breaks a rule; it names the field
         */
        public SitePaid build() {
            return of(values);
        }
    }
}
