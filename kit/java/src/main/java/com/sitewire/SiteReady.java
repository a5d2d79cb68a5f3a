package com.sitewire;

/**
 * A site that was bought through a sales channel is paid and ready.
 *
 * @param event always {@code site.ready}
 * @param channel the sales channel
 * @param reference what was passed to the purchase frame as {@code data-ref}
 * @param siteUrl the URL of the site; the key for processing an event once
 * @param consoleUrl the URL of the site's management console
 * @param name the name of the site
 * @param email the contact address of the site's owner: personal data
 * @param createdAt the creation time in UTC, such as {@code 2026-03-01T12:00:00+00:00}
 * @param delivery the id of the delivery that the event came in, or an empty text if the header is missing. Of two
 *     deliveries of a site, the one with the greater id, as text, has the newer content
 */
public record SiteReady(
        String event,
        String channel,
        String reference,
        String siteUrl,
        String consoleUrl,
        String name,
        String email,
        String createdAt,
        String delivery) {
    /**
     * Creates an event of no delivery.
     *
     * @param event as above
     * @param channel as above
     * @param reference as above
     * @param siteUrl as above
     * @param consoleUrl as above
     * @param name as above
     * @param email as above
     * @param createdAt as above
     */
    public SiteReady(
            String event,
            String channel,
            String reference,
            String siteUrl,
            String consoleUrl,
            String name,
            String email,
            String createdAt) {
        this(event, channel, reference, siteUrl, consoleUrl, name, email, createdAt, "");
    }
}
