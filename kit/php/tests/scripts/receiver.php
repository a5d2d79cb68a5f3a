<?php

declare(strict_types=1);

require __DIR__ . '/../bootstrap.php';

// As a server that keeps running would, it asks for the secrets at each request: here, of the variable SECRETS.
$secrets = static fn (): array => explode(',', getenv('SECRETS'));
$onSiteReady = static function (Sitewire\SiteReady $site): void {
    if ($site->name === 'fail') {
        throw new RuntimeException('The database is not reachable.');
    }
};
(new Sitewire\PhpReceiver($secrets, $onSiteReady))->respond();
