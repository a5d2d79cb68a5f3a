<?php

declare(strict_types=1);

use Sitewire\PhpReceiver;
use Sitewire\Scheme;
use Sitewire\SiteReady;

require __DIR__ . '/vendor/autoload.php';

// One file for each site, named after its URL: a repetition changes nothing, and a correction replaces it. With a
// database, this is an upsert with site_url as the primary key.
$store = static function (SiteReady $site): void {
    $file = __DIR__ . '/sites/' . hash('sha256', $site->siteUrl);
    if (!file_put_contents($file, json_encode($site, JSON_THROW_ON_ERROR), LOCK_EX)) {
        throw new RuntimeException("The site could not be stored in $file.");
    }
};

// Throws if a secret is empty.
return new PhpReceiver(
    explode(',', getenv('SITEWIRE_SECRETS') ?: ''),
    $store,
    Scheme::from(getenv('SITEWIRE_SCHEME') ?: 'sitewire'),
);
