<?php

declare(strict_types=1);

namespace Sitewire;

/** A receiver for PHP without a framework: `(new PhpReceiver($secrets, $onSiteReady))->respond()`. */
final class PhpReceiver extends Receiver
{
    /**
     * Reads the request and sends the response. Errors of the receiver and of $onSiteReady are thrown; the response is
     * then 500, so the delivery is retried.
     */
    public function respond(): void
    {
        // With display_errors, PHP responds 200 to an exception that nobody catches, and the event would be lost.
        http_response_code(500);
        [$status, $content, $answer] = $this->receive(fopen('php://input', 'rb'), getallheaders());
        http_response_code($status);
        foreach ($answer as $name => $value) {
            header("$name: $value");
        }
        echo $content;
    }
}
