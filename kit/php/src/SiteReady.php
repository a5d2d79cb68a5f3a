<?php

declare(strict_types=1);

namespace Sitewire;

/** A site that was bought through the channel is ready. As JSON, it has the names of fields that a delivery has. */
final class SiteReady implements \JsonSerializable
{
    private const EVENT = 'site.ready';
    private const FIELDS = ['channel', 'reference', 'site_url', 'console_url', 'name', 'email', 'created_at'];

    /**
     * @param string $channel the sales channel
     * @param string $reference the `data-ref` that was passed to the purchase frame
     * @param string $siteUrl the URL of the new site: the key for processing an event once
     * @param string $consoleUrl the URL of the site's management console
     * @param string $name the name of the site
     * @param string $email the contact address of the site's owner; personal data
     * @param string $createdAt the creation time in UTC, as `2026-03-01T12:00:00+00:00`
     * @param string $delivery the id of the delivery that the event came in, or '' if the header is missing. Of two
     *     deliveries of a site, the one with the greater id, as text, has the newer content
     */
    public function __construct(
        public readonly string $channel,
        public readonly string $reference,
        public readonly string $siteUrl,
        public readonly string $consoleUrl,
        public readonly string $name,
        public readonly string $email,
        public readonly string $createdAt,
        public readonly string $delivery = '',
    ) {
    }

    /**
     * Reads a body whose signature was verified. Fields that it does not know are ignored.
     *
     * @throws WebhookError `invalid-body`
     */
    public static function fromJson(string $body, string $delivery = ''): self
    {
        $value = json_decode($body, true);
        if (!is_array($value) || ($value['event'] ?? null) !== self::EVENT) {
            throw self::invalid('is not JSON in UTF-8, or no object whose `event` is `site.ready`');
        }
        $fields = [];
        foreach (self::FIELDS as $name) {
            $fields[] = is_string($value[$name] ?? null) ? $value[$name] : throw self::invalid("has no text `$name`");
        }
        return new self(...[...$fields, $delivery]);
    }

    /** @return array<string, string> the eight fields */
    public function jsonSerialize(): array
    {
        return ['event' => self::EVENT] + array_combine(self::FIELDS, array_slice(array_values(get_object_vars($this)), 0, 7));
    }

    private static function invalid(string $what): WebhookError
    {
        return new WebhookError(
            Fault::InvalidBody,
            "The signature is genuine, but the body $what, so it is no site.ready event. Respond 400, and tell the "
                . 'operator of the service.',
        );
    }
}
