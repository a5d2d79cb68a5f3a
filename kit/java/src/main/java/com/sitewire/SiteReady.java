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
 */
public record SiteReady(
        String event,
        String channel,
        String reference,
        String siteUrl,
        String consoleUrl,
        String name,
        String email,
        String createdAt) {}
