<?php

declare(strict_types=1);

use Sitewire\PhpReceiver;
use Sitewire\SiteReady;

require __DIR__ . '/vendor/autoload.php';

// One file for each site, named after its URL: a repetition changes nothing, and a correction replaces it. A late retry of
// what was corrected has a smaller delivery id, and is ignored. With a database, this is an upsert with site_url as the
// primary key.
$store = static function (SiteReady $site): void {
    $path = __DIR__ . '/sites/' . hash('sha256', $site->siteUrl);
    $file = fopen($path, 'c+');
    flock($file, LOCK_EX);
    $stored = json_decode(stream_get_contents($file), true);
    if (strcmp($site->delivery, $stored['delivery'] ?? '') < 0) {
        return;
    }
    $content = json_encode($site->jsonSerialize() + ['delivery' => $site->delivery], JSON_THROW_ON_ERROR);
    if (!ftruncate($file, 0) || !rewind($file) || !fwrite($file, $content) || !fclose($file)) {
        throw new RuntimeException("The site could not be stored in $path.");
    }
};

// Throws if a secret is empty.
return new PhpReceiver(explode(',', getenv('SITEWIRE_SECRETS') ?: ''), $store);
