<?php

declare(strict_types=1);

namespace Sitewire;

/** What the receivers for plain PHP and for frameworks have in common. */
abstract class Receiver
{
    private readonly \Closure $onSiteReady;

    /**
     * @param list<string>|\Closure(): list<string> $secrets the channel's signing secrets, or a function that
     *     is called for each request, so that a rotation needs no restart of a server that keeps running
     * @param callable(SiteReady): mixed $onSiteReady is called with each verified event; then the response is 204
     * @param string $header the name of the signature header; the other names of the service follow from it
     * @param int $limit the largest body in bytes
     * @throws \InvalidArgumentException if the secrets are a list and unusable
     */
    public function __construct(
        #[\SensitiveParameter] private readonly array|\Closure $secrets,
        callable $onSiteReady,
        private readonly string $header = 'X-Sitewire-Signature',
        private readonly int $limit = 65_536,
    ) {
        if (is_array($secrets)) {
            Signature::secretKeys($secrets);
        }
        $this->onSiteReady = $onSiteReady(...);
    }

    /**
     * @param resource $body
     * @return array{int, string, array<string, string>} the status, the content as JSON or '', and the headers
     */
    protected function receive($body, array $headers): array
    {
        $rawBody = stream_get_contents($body, $this->limit + 1);
        if (strlen($rawBody) > $this->limit) {
            return [413, '', []];
        }
        try {
            $event = Webhook::constructEvent(
                $rawBody,
                $headers,
                is_array($this->secrets) ? $this->secrets : ($this->secrets)(),
                $this->header,
            );
        } catch (WebhookError $error) {
            $content = json_encode(['fault' => $error->fault]);
            return [$error->fault === Fault::InvalidBody ? 400 : 401, $content, ['Content-Type' => 'application/json']];
        }
        ($this->onSiteReady)($event);
        // The service sends it to a new address: who returns it agrees to get deliveries there.
        [$name, $challenge] = Signature::readBeside($headers, $this->header, 'Challenge');
        return [204, '', preg_match('/^[A-Za-z0-9_-]{1,200}\z/', $challenge) ? [$name => $challenge] : []];
    }
}
