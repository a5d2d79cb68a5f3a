<?php

declare(strict_types=1);

namespace Sitewire;

use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;

/**
 * An invokable controller for Laravel and Symfony, which read requests with the same class. Errors of the receiver and
 * of $onSiteReady are thrown, so that the framework logs them and responds 500.
 */
final class SymfonyReceiver extends Receiver
{
    public function __invoke(Request $request): Response
    {
        [$status, $content, $headers] = $this->receive($request->getContent(true), $request->headers->all());
        return new Response($content, $status, $headers);
    }
}
