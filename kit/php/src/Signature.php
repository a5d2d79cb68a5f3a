<?php

declare(strict_types=1);

namespace Sitewire;

/** @internal How a request shows that it was signed with one of the secrets. */
final class Signature
{
    /**
     * @param list<string> $secrets each as text, or in the form that libraries of Standard Webhooks take
     * @return list<string> the HMAC keys
     * @throws \InvalidArgumentException if there is no secret, or one is empty, not text or in a wrong form
     */
    public static function secretKeys(#[\SensitiveParameter] array $secrets): array
    {
        if ($secrets === []) {
            throw new \InvalidArgumentException(
                "No signing secret was given, so nothing can be verified. Pass the channel's secret.",
            );
        }
        foreach ($secrets as $index => $secret) {
            // HMAC accepts an empty key: if an unset variable were read as '', anybody could sign.
            if (!is_string($secret) || $secret === '') {
                throw new \InvalidArgumentException(
                    'A signing secret is empty or not text, so anybody could sign. '
                        . 'Check the setting that it comes from.',
                );
            }
            if (str_starts_with($secret, 'whsec_')) {
                $text = substr($secret, strlen('whsec_'));
                $secrets[$index] = base64_decode($text);
                // Compared, because base64_decode ignores what is not base64.
                if ($text === '' || base64_encode($secrets[$index]) !== $text) {
                    throw new \InvalidArgumentException(
                        'A signing secret begins with whsec_, but the rest is not base64. Pass it exactly as it was shown, '
                            . 'in either form.',
                    );
                }
            }
        }
        return array_values($secrets);
    }

    /** @throws WebhookError */
    public static function verifySitewire(
        #[\SensitiveParameter] string $body,
        array $headers,
        #[\SensitiveParameter] array $keys,
        string $header,
    ): void {
        [$signature] = self::read($headers, [$header]);
        if (!preg_match('/^sha256=[0-9a-f]{64}\z/', $signature)) {
            throw self::malformed("$header is not `sha256=` and 64 lowercase hexadecimal digits");
        }
        $hmac = static fn (string $key): string => 'sha256=' . hash_hmac('sha256', $body, $key);
        self::requireMatch([$signature], array_map($hmac, $keys));
    }

    /** @throws WebhookError */
    public static function verifyStandardWebhooks(
        #[\SensitiveParameter] string $body,
        array $headers,
        #[\SensitiveParameter] array $keys,
        int $toleranceSeconds,
        int $now,
    ): void {
        $names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
        [$id, $timestamp, $signature] = self::read($headers, $names);
        // A full stop in the id would let the same text be divided in another way.
        if (str_contains($id, '.')) {
            throw self::malformed('webhook-id contains a full stop');
        }
        if (!preg_match('/^[0-9]{1,10}\z/', $timestamp)) {
            throw self::malformed('webhook-timestamp is not 1 to 10 digits');
        }
        $signatures = explode(' ', $signature);
        foreach ($signatures as $one) {
            if (!preg_match('/^v[0-9]+[a-z]?,\S+\z/', $one)) {
                throw self::malformed('webhook-signature is not `version,signature`, or several with a space between');
            }
        }
        if (abs($now - (int) $timestamp) > $toleranceSeconds) {
            throw new WebhookError(
                Fault::Outdated,
                "The signed time is more than $toleranceSeconds seconds from this machine's clock: a captured request "
                    . 'may have been sent again. Respond 401, and check that the clock is synchronised.',
            );
        }
        $hmac = static fn (string $key): string =>
            'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        self::requireMatch($signatures, array_map($hmac, $keys));
    }

    /**
     * Another header of the service, such as X-Sitewire-Delivery beside X-Sitewire-Signature.
     *
     * @return array{string, string} the name and the value
     */
    public static function readBeside(array $headers, string $signature, string $word): array
    {
        $name = preg_replace('/-signature\z/i', "-$word", $signature);
        return [$name, $name === $signature ? '' : self::readOnce($headers, $name)];
    }

    /** The value of a header, or '' if it is not there once. */
    private static function readOnce(array $headers, string $name): string
    {
        try {
            return self::read($headers, [$name])[0];
        } catch (WebhookError) {
            return '';
        }
    }

    /**
     * The values of the headers, which must each be there once.
     *
     * @param list<string> $names
     * @return list<string>
     */
    private static function read(array $headers, array $names): array
    {
        $found = array_fill_keys($names, []);
        foreach ($headers as $key => $value) {
            foreach ($names as $name) {
                if (strcasecmp((string) $key, $name) === 0) {
                    // Frameworks give a list for each header, because a header can be repeated.
                    $found[$name] = array_merge($found[$name], is_array($value) ? array_values($value) : [$value]);
                }
            }
        }
        foreach ($found as $name => $values) {
            if (in_array($values, [[], [null], ['']], true)) {
                throw new WebhookError(
                    Fault::Missing,
                    "The header $name is missing or empty, so nothing shows who sent the request. Respond 401. If "
                        . 'Sitewire sent it, check that no proxy removes the header, and that this is its name.',
                );
            }
        }
        foreach ($found as $name => $values) {
            if (count($values) > 1 || !is_string($values[0])) {
                throw self::malformed("$name is not one text");
            }
        }
        return array_column($found, 0);
    }

    /**
     * Compares each pair in constant time, even after a match: the time taken must not reveal which one matched.
     *
     * @param list<string> $given
     * @param list<string> $expected
     */
    private static function requireMatch(array $given, array $expected): void
    {
        $matches = 0;
        foreach ($expected as $one) {
            foreach ($given as $other) {
                $matches |= (int) hash_equals($one, $other);
            }
        }
        if ($matches === 0) {
            throw new WebhookError(
                Fault::Mismatch,
                'No secret gives this signature: the request was changed on the way, or signed with another secret. '
                    . 'Respond 401. If Sitewire sent it, verify the raw bytes as they arrived, and check the secret.',
            );
        }
    }

    private static function malformed(string $what): WebhookError
    {
        return new WebhookError(
            Fault::Malformed,
            "The header $what: Sitewire did not write it, or a proxy changed it. Respond 401. Nothing is trimmed.",
        );
    }
}
