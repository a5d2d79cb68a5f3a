<?php

declare(strict_types=1);

namespace App;

use Illuminate\Support\Facades\File;
use Sitewire\SiteReady;

/** A file for each site, named after its URL. It stands for the database of an application. */
final class SiteStore
{
    public static function put(SiteReady $site): void
    {
        $path = storage_path('sites/' . hash('sha256', $site->siteUrl));
        $stored = File::exists($path) ? json_decode(File::get($path), true) : [];
        if (strcmp($site->delivery, $stored['delivery'] ?? '') >= 0) {
            $fields = ['site_url' => $site->siteUrl, 'name' => $site->name, 'delivery' => $site->delivery];
            File::replace($path, json_encode($fields, JSON_THROW_ON_ERROR));
        }
    }

    /** @return list<array{site_url: string, name: string, delivery: string}> */
    public static function all(): array
    {
        $files = File::files(storage_path('sites'));
        return array_map(static fn ($file) => json_decode($file->getContents(), true), $files);
    }
}
