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
    ): SiteReady {
        return new SiteReady($channel, $reference, $siteUrl, $consoleUrl, $name, $email, $createdAt);
    }

    /**
     * A delivery as Sitewire sends it, with the headers of both schemes.
     *
     * @param SiteReady|string $event the event, or the body's bytes
     * @param string $secret the signing secret as text
     * @param string|null $id the id of the delivery; default: a new one
     * @param int|null $timestamp the time of the attempt in Unix seconds; default: now
     * @return array{body: string, headers: array<string, string>}
     * @throws \InvalidArgumentException if the secret is empty
     */
    public static function signDelivery(
        SiteReady|string $event,
        #[\SensitiveParameter] string $secret,
        ?string $id = null,
        ?int $timestamp = null,
    ): array {
        Signature::requireSecrets([$secret]);
        $body = is_string($event)
            ? $event
            : json_encode($event, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
        $id ??= bin2hex(random_bytes(16));
        $timestamp ??= time();
        return [
            'body' => $body,
            'headers' => [
                'Content-Type' => 'application/json',
                'X-Sitewire-Signature' => 'sha256=' . hash_hmac('sha256', $body, $secret),
                'X-Sitewire-Delivery' => $id,
                'X-Sitewire-Attempt' => '1',
                'webhook-id' => $id,
                'webhook-timestamp' => (string) $timestamp,
                'webhook-signature' =>
                    'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $secret, true)),
            ],
        ];
    }
}
