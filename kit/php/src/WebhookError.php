<?php

declare(strict_types=1);

namespace Sitewire;

/** The sender's fault: the request must not be processed. The message has no content of the request and no secret. */
final class WebhookError extends \RuntimeException
{
    public function __construct(public readonly Fault $fault, string $message)
    {
        parent::__construct($message);
    }
}
