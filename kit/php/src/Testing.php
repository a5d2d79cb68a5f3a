<?php

declare(strict_types=1);

namespace Sitewire;

/** Signed deliveries for the tests of a receiver. */
final class Testing
{
    /** A fictional event. Name the fields that the test is about: `Testing::siteReady(name: 'Bakery')`. */
    public static function siteReady(
        string $channel = 'acme',
        string $reference = 'user-4711',
        string $siteUrl = 'https://bakery.example/',
        string $consoleUrl = 'https://console.bakery.example/',
        string $name = 'Bäckerei',
        string $email = 'owner@bakery.example',
        string $createdAt = '2026-03-01T12:00:00+00:00',
        string $delivery = '',
    ): SiteReady {
        return new SiteReady($channel, $reference, $siteUrl, $consoleUrl, $name, $email, $createdAt, $delivery);
    }

    /**
     * A delivery as Sitewire sends it, without the headers of Standard Webhooks.
     *
     * @param SiteReady|string $event the event, or the body's bytes
     * @param string $secret the signing secret as text
     * @param string|null $id the id of the delivery; default: that of the event, or a new one, which is greater than those before
     * @return array{body: string, headers: array<string, string>}
     * @throws \InvalidArgumentException if the secret is unusable
     */
    public static function signDelivery(
        SiteReady|string $event,
        #[\SensitiveParameter] string $secret,
        ?string $id = null,
    ): array {
        [$key] = Signature::secretKeys([$secret]);
        $body = is_string($event)
            ? $event
            : json_encode($event, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
        $id ??= ($event instanceof SiteReady ? $event->delivery : '') ?: self::newId();
        return [
            'body' => $body,
            'headers' => [
                'Content-Type' => 'application/json',
                'X-Sitewire-Signature' => 'sha256=' . hash_hmac('sha256', $body, $key),
                'X-Sitewire-Delivery' => $id,
                'X-Sitewire-Attempt' => '1',
            ],
        ];
    }

    /** A UUID of version 7 that is greater than those of microseconds ago. */
    private static function newId(): string
    {
        [$fraction, $seconds] = explode(' ', microtime());
        $microseconds = (int) round((float) $fraction * 1_000_000);
        $milliseconds = (int) $seconds * 1_000 + intdiv($microseconds, 1_000);
        $random = bin2hex(random_bytes(8));
        $time = sprintf('%012x7%03x', $milliseconds, intdiv($microseconds % 1_000 * 4_096, 1_000));
        return vsprintf('%s%s-%s-%s-8%s-%s', [...str_split(substr($time, 0, 8), 4), ...str_split(substr($time, 8), 4),
            substr($random, 0, 3), substr($random, 3, 12)]);
    }
}
