<?php

declare(strict_types=1);

namespace App;

use Illuminate\Support\ServiceProvider;
use Sitewire\SiteReady;
use Sitewire\SymfonyReceiver;

final class SitewireServiceProvider extends ServiceProvider
{
    public function register(): void
    {
        $this->app->singleton(SymfonyReceiver::class, static fn () => new SymfonyReceiver(
            explode(',', config('services.sitewire.secrets') ?? ''),
            // One key for each site: a repetition changes nothing, and a correction replaces it. A late retry of what was
            // corrected has a smaller delivery id, and is ignored.
            static fn (SiteReady $site) => SiteStore::put($site),
        ));
    }

    public function boot(): void
    {
        // With an empty secret, the application stops at its start, and not at its first delivery.
        $this->app->make(SymfonyReceiver::class);
    }
}
