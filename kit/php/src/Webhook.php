<?php

declare(strict_types=1);

namespace Sitewire;

/** Verifies what Sitewire sends: deliveries to a receiver, and requests to a data source. */
final class Webhook
{
    /**
     * Verifies a delivery and reads its event.
     *
     * @param string $rawBody the bytes as they arrived, before any parser: `file_get_contents('php://input')`
     * @param array<string, string|list<string>> $headers names in any case
     * @param list<string> $secrets the channel's signing secrets as text; during a rotation, the old and the new one
     * @param string $header the name of the signature header
     * @throws WebhookError the sender's fault: respond 400 to Fault::InvalidBody, otherwise 401
     * @throws \InvalidArgumentException the receiver's fault: the secrets are unusable, or the body was parsed
     */
    public static function constructEvent(
        #[\SensitiveParameter] mixed $rawBody,
        array $headers,
        #[\SensitiveParameter] array $secrets,
        string $header = 'X-Sitewire-Signature',
    ): SiteReady {
        $keys = Signature::secretKeys($secrets);
        if (!is_string($rawBody)) {
            throw new \InvalidArgumentException(
                'The body was parsed; a signature covers the raw bytes. Take file_get_contents(\'php://input\'), or in '
                    . 'Laravel and Symfony $request->getContent().',
            );
        }
        Signature::verifySitewire($rawBody, $headers, $keys, $header);
        return SiteReady::fromJson($rawBody, Signature::readBeside($headers, $header, 'Delivery')[1]);
    }

    /**
     * Verifies a request to your API, the source of a connection.
     *
     * @param string $method of the request, such as `GET`
     * @param string $url the connection's source exactly as Sitewire has it; behind a proxy, a server may see another
     * @param array<string, string|list<string>> $headers names in any case
     * @param list<string> $secrets the connection's signing secrets as text; during a replacement, the old and the new
     * @param int $toleranceSeconds how far the signed time may be from this clock
     * @param int|null $now the time in Unix seconds, for tests; default: this machine's clock
     * @throws WebhookError the sender's fault: respond 401
     * @throws \InvalidArgumentException the receiver's fault: the secrets are unusable
     */
    public static function verifySourceRequest(
        string $method,
        string $url,
        array $headers,
        #[\SensitiveParameter] array $secrets,
        int $toleranceSeconds = 300,
        ?int $now = null,
    ): void {
        $keys = Signature::secretKeys($secrets);
        Signature::verifyStandardWebhooks("\"$method $url\"", $headers, $keys, $toleranceSeconds, $now ?? time());
    }
}
